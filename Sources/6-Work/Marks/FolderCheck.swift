import Catalogue
import Glibc
import Library
import Model
import Platform
import Watching

/// Compares the mark folders with the library's records of their files, and reports what is wrong with the folders.
@LoopActor
final class FolderCheck {
    struct Findings {
        /// Files that are new or have changed since they were read.
        var changed: [String] = []
        /// Files that seem to be missing.
        var gone: [String] = []
        /// Whether drawn marks have changed already.
        var isNews = false
        /// Whether only a complete scan can find the rest.
        var needsLook = false
    }

    private let parts: MarkParts
    private let listed: @LoopActor (String) async -> FileListing?
    /// The state of the folders as last reported.
    private(set) var folders = MarkFolders()
    /// The state of the folders on disk at the last complete scan.
    private var onDisk = RootsOnDisk()
    /// Paths that are not read as mark files, with an event since the last check.
    private var passedOverDue: Set<String> = []

    init(_ parts: MarkParts, listed: @escaping @LoopActor (String) async -> FileListing?) { (self.parts, self.listed) = (parts, listed) }

    private var roots: MarkRoots { parts.roots }

    /// Translates a path below any name of a folder to the path below the name that is scanned.
    func path(_ path: String) -> String { onDisk.path(path, in: roots) }

    // MARK: - Comparing

    /// Compares the files below some folders with the library's records.
    func compare(below folders: Set<String>) async throws -> Findings {
        let outermost = folders.filter { folder in !folders.contains { MarkRoots.isPath(folder, in: $0) } }
        var found = Findings()
        for folder in outermost.sorted() {
            let listing = await parts.side.run { [roots] in roots.listing(of: folder) }
            let comparison = MarkComparison(of: listing, below: folder, with: try parts.library.markFiles.stamps(below: folder))
            let away = try parts.library.markFiles.filesAway()
            found.changed += comparison.changed
            // Of ignored files, only a complete scan tells those that are there from those that are gone.
            found.gone += comparison.gone.filter { !away.contains($0) && roots.admits(path: $0) }
            // A file that was away may be back unchanged; then only a complete scan notices that it is back.
            if away.subtracting(comparison.gone).contains(where: { MarkRoots.isPath($0, in: folder) }) { found.needsLook = true }
            let passedOver = await parts.side.run { [roots] in roots.messages(of: [listing]) }
            report(
                self.folders.replacing(
                    { $0 == folder || MarkRoots.isPath($0, in: folder) }, unreadable: listing.unread, passedOver: passedOver))
        }
        return found
    }

    /// Compares all files with the library's records. Sets aside only files that no configured folder includes any more.
    func compareAll() async throws -> Findings {
        let listing = spawn { [parts, listed] in await ListedFolders(parts.roots, side: parts.side, listed: listed) }
        // Let the listing of the folders begin, so that it runs while the library is read.
        await parts.side.run {}
        let known = try parts.library.markFiles.stamps()
        let listed = await listing.value
        let away = try parts.library.markFiles.filesAway()
        let dataFolder = parts.library.folder
        let survey = await parts.side.run { [roots] in MarkSurvey(listed, in: roots, known: known, away: away, dataFolder: dataFolder) }
        try parts.library.markFiles.note(
            away: survey.missing,
            back: away.filter { path in !survey.missing.contains(path) && !survey.unread.contains { MarkRoots.isPath(path, in: $0) } })
        for (folder, other) in listed.onDisk.duplicates.sorted(by: { $0.key < $1.key }) where onDisk.duplicates[folder] != other {
            parts.log.info("\(folder) is \(other) under another name; its files count once")
        }
        onDisk = listed.onDisk
        report(survey.folders)
        return Findings(changed: survey.changed, gone: survey.gone, isNews: try await setAside(survey.outside))
    }

    func note(passedOver path: String) { passedOverDue.insert(path) }

    /// Checks those paths again that are not read as mark files but have had an event.
    func checkPassedOver() async {
        let due = passedOverDue
        guard !due.isEmpty else { return }
        passedOverDue = []
        let messages = await parts.side.run { [roots] in roots.messages(ofPassedOver: due) }
        report(folders.replacing({ [folders] in due.contains($0) && !folders.unreadable.contains($0) }, passedOver: messages))
    }

    private func report(_ folders: MarkFolders) {
        for line in folders.news(since: self.folders) { parts.log.warning("\(line)") }
        self.folders = folders
    }

    /// Stops using files that are not in a configured folder, or are read under another name. Their records are kept in case they are
    /// configured again.
    private func setAside(_ paths: [String]) async throws -> Bool {
        guard !paths.isEmpty else { return false }
        try parts.library.markFiles.store([], forgetting: paths)
        let there = await parts.side.run { paths.filter(MarkFileStore.mayBeThere) }
        func report(_ paths: some Collection<String>, _ reason: String) {
            guard let first = paths.first else { return }
            parts.log.warning("\(first)\(paths.count > 1 ? " and \(paths.count - 1) more" : ""): no longer read, because \(reason)")
        }
        report(there, "its folder is read under another name")
        // Report missing files separately: they may have moved together with the whole library, into folders that are configured now.
        report(
            BatchReader.once(there + paths).dropFirst(there.count),
            "it is not there, nor in any folder that is configured; the files in those are drawn")
        return true
    }

    // MARK: - Files that are not there

    /// Returns which of `paths` are certainly gone, and whether others are missing, too. If a whole folder vanished, or lost the
    /// last of several files, only a complete scan can tell deleted files from missing ones. Of the files that count as away already,
    /// only `renamed` ones (given by the bytes of their paths) are gone: other files that appear in their folder prove nothing.
    func certainlyGone(_ paths: [String], renamed: Set<[UInt8]>) async throws -> (gone: [String], isInDoubt: Bool) {
        guard !paths.isEmpty else { return ([], false) }
        let away = try parts.library.markFiles.filesAway()
        let paths = away.isEmpty ? paths : paths.filter { !away.contains($0) || renamed.contains(Array($0.utf8)) }
        let homes = Set(paths.compactMap(roots.root))
        let (missing, unchanged) = await parts.side.run { [onDisk, roots] in
            // Check files first, then folders: a folder that vanished in between must not count as unchanged.
            let missing = BatchReader.once(paths).filter {
                !roots.isSilent($0) && access($0, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
            }
            return (missing.sorted { $0.precedesByBytes($1) }, onDisk.unchanged(homes))
        }
        let replaced = await parts.side.run { missing.filter { !renamed.contains(Array($0.utf8)) && Placeholder.of($0) != nil } }
        let unmounted = try await unmounted(missing).union(replaced)
        if !unmounted.isEmpty { try parts.library.markFiles.note(away: unmounted) }
        let gone = missing.filter { !unmounted.contains($0) && roots.root(of: $0).map(unchanged.contains) ?? false }
        var emptied: Set<String> = []
        for root in Set(gone.compactMap(roots.root)).sorted() where try await isEmptied(root, away) {
            emptied.insert(root)
            try parts.library.markFiles.note(away: parts.library.markFiles.stamps(below: root).map(\.path))
        }
        let certain = gone.filter { !(roots.root(of: $0).map(emptied.contains) ?? false) }
        return (certain, certain.count < missing.count)
    }

    private func unmounted(_ missing: [String]) async throws -> Set<String> {
        var gone: [(path: String, stamp: FileStamp)] = []
        for path in missing {
            if let stamp = try parts.library.markFiles.writtenFile(at: path)?.file.stamp { gone.append((path, stamp)) }
        }
        let others = try Set(missing.compactMap(roots.root)).flatMap { try parts.library.markFiles.stamps(below: $0, atMost: 64) }
        return await parts.side.run { [gone] in
            // Each of `others` that exists shows that its disk is mounted.
            var present: Set<UInt64> = []
            for other in others {
                guard let stamp = FileStamp(ofFile: other.path) else { continue }
                present.formUnion(MissingDisk.names(ofDiskWith: stamp, readAs: other.stamp))
            }
            return Set(MissingDisk.files(among: gone, thoughThereAre: present))
        }
    }

    /// Returns whether a folder has lost several files together and has no mark file left, as when a disk is emptied or moved
    /// away file by file. A folder with a single file was emptied by deleting that file.
    private func isEmptied(_ root: String, _ away: Set<String>) async throws -> Bool {
        var count = 0
        var last: String?
        repeat {
            let page = try parts.library.markFiles.stamps(below: root, after: last, atMost: 64)
            let files = page.filter { !away.contains($0.path) }
            // A file that Xournal++ has renamed for the moment counts as present. If any files are left, the first few usually show it.
            let isAnyThere = await parts.side.run {
                files.contains {
                    MarkFileStore.mayBeThere($0.path) || FileStamp(ofFilePutAsideFor: $0.path)?.standsIn(for: $0.stamp) ?? false
                }
            }
            if isAnyThere { return false }
            count += files.count
            last = page.last?.path
        } while last != nil
        guard count > 1 else { return false }
        // None of the known files is left. The folder may contain files under names that the library does not know: new or renamed ones.
        return await parts.side.run { [roots] in roots.listing(of: root).files.isEmpty }
    }
}
