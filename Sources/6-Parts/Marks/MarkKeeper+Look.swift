import Library
import Model
import Platform
import Watching

extension MarkKeeper {
    struct Found {
        var changed: [String] = []
        /// Files that are not there, as far as can be seen.
        var gone: [String] = []
        /// Whether what is drawn has changed already.
        var isNews = false
    }

    /// Lists files, and answers those that have changed since they were read. Nothing is forgotten except files that are in none of the
    /// mark folders any more.
    func compare(_ look: MarkLook) async throws -> Found {
        switch look {
        case .nothing: return Found()
        case .folders(let folders): return try await compare(below: folders)
        case .all: return try await compareAll()
        }
    }

    private func compare(below folders: Set<String>) async throws -> Found {
        let outermost = folders.filter { folder in !folders.contains { MarkRoots.isPath(folder, in: $0) } }
        var found = Found()
        for folder in outermost.sorted() {
            let listing = await side.run { [roots] in roots.listing(of: folder) }
            let comparison = MarkComparison(of: listing, below: folder, with: try library.markFiles.stamps(below: folder))
            found.changed += comparison.changed
            let away = try library.markFiles.filesAway()
            found.gone += comparison.gone.filter { !away.contains($0) }
            // A file that is back has not changed by that; looking at everything notices it.
            if away.subtracting(comparison.gone).contains(where: { MarkRoots.isPath($0, in: folder) }) { look() }
            let unread = self.folders.unreadable.filter { $0 != folder && !MarkRoots.isPath($0, in: folder) }
            tellUnread(unread.union(listing.unread))
            let kept = self.folders.passedOver.filter { !MarkRoots.isPath($0.key, in: folder) }
            tellPassedOver(await side.run { [roots] in roots.words(of: [listing]) }.merging(kept) { new, _ in new })
        }
        return found
    }

    private func compareAll() async throws -> Found {
        let listings = spawn { [side, roots, listed] in
            // First the state of the folders: whatever happens from here on shows up as a difference.
            let standing = await side.run { RootsOnDisk(of: roots) }
            var listings: [(root: String, listing: FileListing)] = []
            for root in roots.folders where standing.twins[root] == nil {
                if let listing = await listed(root) {
                    listings.append((root, listing))
                } else {
                    listings.append((root, await side.run { roots.listing(of: root) }))
                }
            }
            return (standing, listings)
        }
        // The folders are listed while the library is asked.
        await side.run {}
        let known = try library.markFiles.stamps()
        let (standing, listed) = await listings.value
        self.standing = standing
        let away = try library.markFiles.filesAway()
        let survey = await side.run { [roots] in MarkSurvey(listed, in: roots, standing: standing, known: known, away: away) }
        let missing = Set(survey.emptied.lazy.flatMap(\.files)).union(survey.placeholders.keys).union(away.intersection(survey.homeless))
        try library.markFiles.note(
            away: missing,
            back: away.filter { path in !missing.contains(path) && !survey.unread.contains { MarkRoots.isPath(path, in: $0) } })
        tellAway(survey.emptied)
        tellPlaceholders(survey.placeholders)
        tellMissing()
        tellUnread(survey.unread)
        tellPassedOver(await side.run { [roots] in roots.words(of: listed.lazy.map(\.listing)) })
        tellTwins()
        tellKept(survey)
        return Found(changed: survey.changed, gone: survey.gone, isNews: try await setAside(survey.outside))
    }

    /// Stops using files that are not looked at any more. What is known of them is kept in case they are looked at again.
    private func setAside(_ paths: [String]) async throws -> Bool {
        guard !paths.isEmpty else { return false }
        try library.markFiles.store([], forgetting: paths)
        let there = await side.run { paths.filter(MarkFileStore.mayBeThere) }
        func tell(_ count: Int, _ first: String?, _ what: String) {
            if let first { log.warning("\(first)\(count > 1 ? " and \(count - 1) more" : ""): no longer read, because \(what)") }
        }
        tell(there.count, there.first, "of the configured folders and patterns; the marks are not drawn until it is")
        // A whole library may have moved, with its files.
        let gone = Self.once(there + paths).dropFirst(there.count)
        tell(gone.count, gone.first, "it is not there, nor in any folder that is configured; the files in those are drawn")
        return true
    }

    // MARK: - Telling

    private func tellAway(_ emptied: [(root: String, files: [String])]) {
        let former = folders.away
        folders.away = Dictionary(emptied.map { ($0.root, $0.files.count) }) { first, _ in first }
        for (root, files) in emptied where files.count > former[root] ?? 0 {
            log.warning(
                "\(files.count == 1 ? "the mark file" : "all \(files.count) mark files") in \(root) \(files.count == 1 ? "is" : "are") gone; their marks are kept until they are back, "
                    + "or until you confirm that they are gone for good: \(woodshed("accept --gone '\(root)'"))")
        }
    }

    private func tellPlaceholders(_ placeholders: [String: String]) {
        for (path, placeholder) in placeholders.sorted(by: { $0.key < $1.key }) where folders.placeholders[path] == nil {
            log.warning("\(path) \(MarkFolders.words(of: path, placeholder))")
        }
        folders.placeholders = placeholders
    }

    private func tellKept(_ survey: MarkSurvey) {
        let former = folders.kept
        folders.note(survey, in: roots)
        for setback in folders.kept where !former.contains(setback) { log.warning("\(setback.subject) \(setback.message)") }
    }

    private func tellMissing() {
        let missing = Set(roots.folders.filter { !standing.has($0) })
        for root in missing.subtracting(folders.missing).subtracting(folders.emptied).subtracting(roots.optional).sorted() {
            log.warning("\(root) is missing; mark files in it are read as soon as it is there")
        }
        folders.missing = missing
    }

    private func tellUnread(_ unread: Set<String>) {
        for folder in unread.subtracting(folders.unreadable).sorted() {
            log.warning("\(folder) cannot be read; what is known about its files is kept")
        }
        folders.unreadable = unread
    }

    /// Looks again at things that are not read as mark files and to which something happened.
    func lookAtPassedOver() async {
        let due = passedOverDue
        guard !due.isEmpty else { return }
        passedOverDue = []
        let words = await side.run { [roots] in roots.words(ofPassedOver: due) }
        tellPassedOver(folders.passedOver.filter { !due.contains($0.key) }.merging(words) { new, _ in new })
    }

    /// Reports what is not read but may be meant to be, once for as long as it is there.
    private func tellPassedOver(_ words: [String: String]) {
        for (path, word) in words.sorted(by: { $0.key < $1.key }) where folders.passedOver[path] != word { log.warning("\(path) \(word)") }
        folders.passedOver = words
    }

    private func tellTwins() {
        for (folder, twin) in standing.twins.sorted(by: { $0.key < $1.key }) where folders.twins[folder] != twin {
            log.info("\(folder) is \(twin) under another name; its files count once")
        }
        folders.twins = standing.twins
    }
}
