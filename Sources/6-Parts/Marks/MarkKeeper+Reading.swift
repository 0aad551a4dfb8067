import Annotations
import Catalogue
import ChartLinks
import Freshness
import Glibc
import Library
import Model
import Platform
import Watching

extension MarkKeeper {
    /// Reads what is due: files that have come to rest, and what a look finds to have changed.
    func readWaiting() async {
        await lookAtPassedOver()
        let look = lookDue
        lookDue = .nothing
        var isNews = false
        // Even if something goes wrong later: what the library has by then must be drawn, since no look finds a difference there any
        // more.
        defer {
            if isNews { changed() }
            beginning.open()
        }
        do {
            var paths = takeWaiting()
            let heard = paths
            var gone: [String] = []
            if look != .nothing {
                let found = try await compare(look)
                isNews = found.isNews
                // Another program may just be rewriting them; but when we begin, nothing has been drawn yet.
                if isBeginning { gone = found.gone } else { for path in found.gone { settler.note(path) } }
                paths = Self.once(paths + found.changed)
                if look == .all { isBeginning = false }
            }
            // Missing files come last: by then it is known which of them were only renamed.
            try await read(nearestFirst(paths) + gone, heard: heard, isNews: &isNews)
            // Files that had no chart may have one now; nobody has to wait for that.
            if look == .all { matchAgain() }
            noteSuccess()
        } catch {
            // Whatever was to be read is found again by looking.
            lookDue = .all
            log.error("\(error)")
            tryAgain()
        }
    }

    /// Reads files, a batch at a time. What that changes is announced now and then, ever more rarely: each announcement means looking
    /// through everything that is drawn on the charts. What somebody saves meanwhile comes first, and is announced at once.
    private func read(_ paths: [String], heard: [String], isNews: inout Bool) async throws {
        var rest = paths[...]
        let look = try library.markFiles.nextLook()
        // What was heard of came after whatever a look at the folders found.
        var heard = Set(heard.map { Array($0.utf8) })
        var (count, nextToTell) = (0, 2 * Self.readAtATime)
        while true {
            let saved = takeWaiting()
            if !saved.isEmpty { rest = try Self.once(nearestFirst(saved) + rest)[...] }
            heard.formUnion(saved.map { Array($0.utf8) })
            let batch = Array(rest.prefix(Self.readAtATime))
            guard !batch.isEmpty else { return }
            rest = rest.dropFirst(batch.count)
            if try await read(batch, library.matches.index(), look: { heard.contains(Array($0.utf8)) ? look + 1 : look }) { isNews = true }
            count += batch.count
            guard !rest.isEmpty else { return }
            if isNews, count >= nextToTell || !saved.isEmpty {
                isNews = false
                changed()
                nextToTell = 2 * count
            }
            if count >= Self.readBeforeAnythingIsDrawn { beginning.open() }
            // Everything else that is waiting goes first.
            await spawn {}.value
        }
    }

    /// If there are many, those for the next plan come first, as far as that can be told without reading them.
    private func nearestFirst(_ paths: [String]) throws(LibraryError) -> [String] {
        guard paths.count > Self.readAtATime else { return paths }
        let now = time.timestamp
        let plans = try library.plans.all()
        let coming = plans.filter { !$0.plan.isPast(at: now) }.sorted { $0.plan.comesBefore($1.plan) }
        let past = plans.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        var places: [AttachmentID: Int] = [:]
        for (place, contents) in (coming + past).enumerated() {
            for attachment in contents.attachments where places[attachment.id] == nil { places[attachment.id] = place }
        }
        let known = Dictionary(try library.markFiles.states().map { ($0.path, $0.attachment) }) { first, _ in first }
        let index = try library.matches.index()
        func place(_ path: String) -> Int {
            if let attachment = known[path] ?? nil { return places[attachment] ?? plans.count }
            return index.likelyCharts(of: path).lazy.compactMap { places[$0] }.min() ?? plans.count
        }
        let order = paths.enumerated().map { (place: place($1), number: $0, path: $1) }
        return order.sorted { ($0.place, $0.number) < ($1.place, $1.number) }.map(\.path)
    }

    private func takeWaiting() -> [String] {
        defer { waiting = [] }
        return waiting
    }

    /// Each path once, at its first place: what was heard of may also have been found by looking. Names that differ only in their Unicode
    /// form are different files.
    nonisolated static func once(_ paths: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return paths.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// Enough to include a musician's everyday changes.
    private static let readBeforeAnythingIsDrawn = 256

    /// Few enough that a single change is seen soon, and enough that a thousand are not a thousand commits.
    private static let readAtATime = 32

    private struct Reading {
        /// The file's stamp before it was read: whatever happens to it meanwhile must show up as a difference.
        let former: FileStamp?
        let result: Result<Content, MarkFileFault>
        /// The stamp of the former file, if Xournal++ has put it aside while it writes the new one.
        let aside: FileStamp?

        struct Content {
            let written: WrittenFile
            /// The pages that have marks.
            let pages: Set<PageIndex>
        }

        init(_ path: String) {
            former = FileStamp(ofFile: path)
            result = Result { () throws(MarkFileFault) in
                let (content, stamp) = try MarkFileReader.read(path: path)
                do {
                    // Which chart it is for, and since when it is known, is found out later, by asking the library.
                    let file = LocalFile(path: path, stamp: stamp, firstSeen: Timestamp(nanoseconds: 0), content: content)
                    return Content(written: try WrittenFile(file), pages: Set(content.marks.map(\.page)))
                } catch {
                    throw MarkFileFault(.malformed, "\(error)")
                }
            }
            aside = FileStamp(ofFilePutAsideFor: path)
        }
    }

    /// Reads files again, or finds that they are gone. Answers whether that may change what is drawn.
    private func read(_ paths: [String], _ index: MarkFileIndex, look: (String) -> Int) async throws -> Bool {
        let readings = await side.run { paths.map { Reading($0) } }
        var isNews = false
        var read: [WrittenFile] = []
        var known: [[UInt8]: WrittenFile] = [:]
        var missing: [String] = []
        var newNames: [[UInt8]: String] = [:]
        for (path, reading) in zip(paths, readings) {
            let former = try library.markFiles.writtenFile(at: path)
            known[Array(path.utf8)] = former
            switch reading.result {
            case .success(let content):
                var file = try await file(at: path, content, former: former, index)
                file.save = ObservedSave(look: look(path), of: file.file.stamp, now: time.timestamp)
                // Among files that are alike, the one that was saved last is drawn.
                if !file.draws(as: former) || former?.file.stamp.modified != file.file.stamp.modified { isNews = true }
                told.aside.remove(path)
                told.unfinished.remove(path)
                // A file that turns up under a new name has left the old one, and was not saved by that.
                for name in former == nil ? try library.markFiles.localFilePaths(like: file.file.stamp) : [] {
                    missing.append(name)
                    newNames[Array(name.utf8)] = path
                    file.save = try library.markFiles.lastSave(of: name)
                }
                read.append(file)
            case .failure(let fault) where fault.reason == .missing:
                if let former, !isAside(former.file, as: reading.aside) { missing.append(path) }
            case .failure(let fault):
                if let file = try await note(fault, at: path, reading.former, former: former, index) { read.append(file) }
            }
        }
        try keepNewerMarks(in: &read, besides: known)
        let away = try library.markFiles.filesAway()
        let gone = try await certainlyGone(missing, renamed: Set(newNames.keys))
        try library.markFiles.store(
            written: read, forgetting: gone, history: MarkHistory(states: settings.history, now: time.timestamp))
        // Only looking at everything finds out which of the files that were away are back.
        if !away.isDisjoint(with: read.map(\.file.path) + gone) { self.look() }
        uncounted = uncounted.filter { !gone.contains($0.key) }
        told.unfinished.subtract(gone)
        for path in gone {
            log.info(newNames[Array(path.utf8)].map { "\(path) is now called \($0)" } ?? "\(path) is gone, and its marks with it")
        }
        return isNews || !gone.isEmpty
    }

    /// Whether a file that is not there was only put aside by Xournal++, which is writing the new one or was ended while doing so.
    private func isAside(_ file: LocalFile, as other: FileStamp?) -> Bool {
        guard let other, other.standsIn(for: file.stamp) else { return false }
        if told.aside.insert(file.path).inserted {
            log.info("\(file.path) is missing but \(file.path)~ is there; its marks are kept until that is renamed back or deleted")
        }
        return true
    }

    private func file(
        at path: String, _ content: Reading.Content, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile {
        var written = content.written
        var match = try await match(path, written.file.content?.reference ?? MarkFile.Reference(), index)
        if match == nil { match = try present(library.matches.formerMatch(of: written, knownAs: former, index)) }
        written.file.firstSeen = former?.file.firstSeen ?? time.timestamp
        (written.file.attachment, written.file.markedOn) = (match?.attachment, match?.markedOn)
        let file = written.file
        if former?.file.content != file.content || former?.version != written.version {
            for note in file.content?.notes ?? [] { log.info("\(path): \(note)") }
        }
        if file.attachment == nil, former == nil || former?.file.attachment != nil {
            log.warning("\(path) belongs to no chart here; its marks are shown as soon as one matches")
            told.unmatched?.insert(path)
        }
        if let attachment = file.attachment, !written.draws(as: former) {
            try tellPagesThatAreNotThere(path, content.pages, attachment)
        }
        return written
    }

    /// Keeps what the file said when it was last understood. Answers what to remember, if anything has changed.
    private func note(
        _ fault: MarkFileFault, at path: String, _ stamp: FileStamp?, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile? {
        guard let stamp else { return nil }
        // A file that is growing is cut off in another place at every look.
        let isTold = told.unfinished.contains(path) && fault.reason == .unfinished
        if fault.reason == .unfinished { told.unfinished.insert(path) } else { told.unfinished.remove(path) }
        if former?.file.fault != fault.description, !isTold {
            log.warning("\(path) \(fault)" + (former?.version == nil ? "" : "; its last good marks are kept"))
        }
        let unknown = LocalFile(path: path, stamp: stamp, firstSeen: time.timestamp)
        var written = if let former { former } else { try WrittenFile(unknown) }
        // Permission to read it can be given without a trace in the stamp.
        written.file.stamp = fault.reason == .unreadable ? .unknown : stamp
        written.file.fault = fault.description
        if written.file.attachment == nil { written.file.attachment = try present(await named.match(path, of: fault, index))?.attachment }
        return written
    }
}
