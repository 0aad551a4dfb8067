import Annotations
import Catalogue
import ChartFiles
import LayerJoin
import Library
import Model
import Platform

/// Reads mark files, a batch at a time, and stores their contents.
@LoopActor
final class BatchReader {
    private let parts: MarkParts
    private let finder: MarkedChartFinder
    private let check: FolderCheck
    private let matching: MarkMatching
    private let repair: OwnPartRepair
    /// Files logged as missing while the former version, which Xournal++ renamed, is still there.
    private var reportedAside: Set<String> = []
    /// Files logged as cut off. While a file is being written, each reading finds it cut off at another point; only the first is logged.
    private var reportedUnfinished: Set<String> = []
    /// Files that a warning in the log calls unreadable.
    private(set) var warned: Set<String> = []

    init(
        _ parts: MarkParts, _ finder: MarkedChartFinder, _ check: FolderCheck, _ matching: MarkMatching,
        receive: @escaping @LoopActor (MarkReading) -> Void
    ) {
        (self.parts, self.finder, self.check, self.matching) = (parts, finder, check, matching)
        repair = OwnPartRepair(parts, receive: receive)
    }

    func stop() { repair.stop() }

    /// Removes duplicates, keeping the first: an event and a scan may report the same file. Names that differ only in their
    /// Unicode form are different files.
    nonisolated static func once(_ paths: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return paths.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// Reads files again, or finds that they are gone; `look` returns the number of the scan that found a file. Returns whether
    /// drawn marks may have changed, and whether everything has to be scanned.
    func read(_ paths: [String], look: (String) -> Int) async throws -> (isNews: Bool, needsLook: Bool) {
        let away = try parts.library.markFiles.filesAway()
        let paths = paths.filter { !parts.roots.isSilent($0) }
        let known = try paths.map { path throws(LibraryError) -> FileStamp? in
            guard !away.contains(path), let file = try parts.library.markFiles.writtenFile(at: path)?.file, file.fault == nil,
                try !parts.library.parts.isToBeRead(path)
            else { return nil }
            return file.stamp
        }
        // Files that Woodshed wrote itself are already stored when their events arrive, so files with the known stamp are skipped.
        let readings = await parts.side.run {
            zip(paths, known).compactMap { path, stamp in stamp != nil && stamp == FileStamp(ofFile: path) ? nil : MarkReading(path) }
        }
        return try await keep(readings, look: look)
    }

    /// What was found in a batch of files.
    private struct Batch {
        var read: [WrittenFile] = []
        var missing: [String] = []
        /// The new paths of renamed files, by the bytes of their former paths.
        var newNames: [[UInt8]: String] = [:]
        /// The parts as read, by the bytes of their files' paths; only those that the file itself contains as a whole.
        var states: [[UInt8]: LayerPart] = [:]
        /// Parts whose files may have lost marks.
        var inDoubt: [OwnPartRepair.Part] = []
        var isNews = false
    }

    /// Stores the readings, and decides which marks each part of a layer draws, also on `charts`. Returns the same as `read`.
    func keep(
        _ readings: [MarkReading], on charts: Set<AttachmentID> = [], look: (String) -> Int = { _ in 0 }
    ) async throws -> (isNews: Bool, needsLook: Bool) {
        let index = try parts.library.matches.index()
        var batch = Batch()
        for reading in readings {
            parts.settings.home?.renewIfOthersWrote(reading, parts.log)
            try await add(reading, to: &batch, index, look: look)
        }
        let away = try parts.library.markFiles.filesAway()
        let (gone, isInDoubt) = try await check.certainlyGone(batch.missing, renamed: Set(batch.newNames.keys))
        let isRedrawn = try await PartShares(library: parts.library, side: parts.side).settle(
            &batch.read, batch.states, gone: gone, on: charts)
        try parts.library.markFiles.store(
            written: batch.read, forgetting: gone, history: MarkHistory(states: parts.settings.history, now: parts.time.timestamp))
        forget(gone, batch.newNames)
        try await repair.mend(batch.inDoubt)
        // Only a complete scan finds out which of the files that were away are back.
        let isBack = !away.isDisjoint(with: batch.read.map(\.file.path) + gone)
        return (batch.isNews || isRedrawn || !gone.isEmpty, isInDoubt || isBack)
    }

    private func add(_ reading: MarkReading, to batch: inout Batch, _ index: MarkFileIndex, look: (String) -> Int) async throws {
        let path = reading.path
        let former = try parts.library.markFiles.writtenFile(at: path)
        var known = try parts.library.parts.part(at: path)?.part
        switch reading.result {
        case .success(let content):
            var file = try await file(at: path, content, former: former, index)
            file.save = ObservedSave(look: look(path), of: file.file.stamp, now: parts.time.timestamp)
            // A new time alone matters, too: of files with equal contents, the one that was saved last is drawn.
            if former?.file.stamp.modified != file.file.stamp.modified { batch.isNews = true }
            reportedAside.remove(path)
            reportedUnfinished.remove(path)
            // A new path with a known file's stamp is that file renamed: the old path is gone, and renaming does not count as saving.
            for name in former == nil ? try parts.library.markFiles.localFilePaths(like: file.file.stamp) : [] {
                batch.missing.append(name)
                batch.newNames[Array(name.utf8)] = path
                file.save = try parts.library.markFiles.lastSave(of: name)
                known = try known ?? parts.library.parts.part(at: name)?.part
            }
            if let state = content.part {
                var part = known ?? LayerPart()
                part.join(state)
                file.part = part
                if content.isWhole {
                    batch.states[Array(path.utf8)] = state
                    batch.inDoubt.append(OwnPartRepair.Part(file: file.file, state: state, known: part))
                }
            } else if let known, let former {
                batch.inDoubt.append(OwnPartRepair.Part(file: former.file, known: known, spoilt: "is another program's file now"))
            }
            batch.read.append(file)
        case .failure(let fault) where fault.reason == .missing:
            if let former, !isAside(former.file, as: reading.aside) { batch.missing.append(path) }
        case .failure(let fault):
            if let file = try await note(fault, at: path, reading.stampBefore, former: former, index) { batch.read.append(file) }
            if fault.reason != .unreadable, let known, let former {
                batch.inDoubt.append(OwnPartRepair.Part(file: former.file, known: known, spoilt: fault.description))
            }
        }
    }

    private func forget(_ gone: [String], _ newNames: [[UInt8]: String]) {
        matching.forget(gone)
        reportedUnfinished.subtract(gone)
        for path in gone {
            parts.log.info(
                newNames[Array(path.utf8)].map { "\(path) is now called \($0)" }
                    ?? "\(path) is gone; what it had is kept in its chart's history")
        }
    }

    /// Whether a missing file was only renamed by Xournal++, which is writing the new version or was killed while doing so.
    private func isAside(_ file: LocalFile, as other: FileStamp?) -> Bool {
        guard let other, other.standsIn(for: file.stamp) else { return false }
        if reportedAside.insert(file.path).inserted {
            parts.log.info("\(file.path) is missing but \(file.path)~ is there; its marks are kept until that is renamed back or deleted")
        }
        return true
    }

    private func file(
        at path: String, _ content: MarkReading.Content, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile {
        var written = content.written
        let match = try await finder.chart(of: written, knownAs: former, index)
        written.file.firstSeen = former?.file.firstSeen ?? parts.time.timestamp
        (written.file.attachment, written.file.markedOn) = (match?.attachment, match?.markedOn)
        let file = written.file
        if former?.file.content != file.content || former?.version != written.version {
            for note in file.content?.notes ?? [] { parts.log.info("\(path): \(note)") }
        }
        if file.attachment == nil, former == nil || former?.file.attachment != nil { matching.reportUnmatched(path) }
        if let attachment = file.attachment, !written.draws(as: former) {
            try matching.reportMissingPages(path, content.pages, attachment)
        }
        return written
    }

    /// Keeps the file's last good marks. Returns the state to store; `nil` if the file did not exist before it was read.
    private func note(
        _ fault: MarkFileFault, at path: String, _ stamp: FileStamp?, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile? {
        guard let stamp else { return nil }
        // A growing file is cut off in another place at every reading, so log it once.
        let isReported = reportedUnfinished.contains(path) && fault.reason == .unfinished
        if fault.reason == .unfinished { reportedUnfinished.insert(path) } else { reportedUnfinished.remove(path) }
        if former?.file.fault != fault.description, !isReported {
            warned.insert(path)
            parts.log.warning("\(path) \(fault)" + (former?.version == nil ? "" : "; its last good marks are kept"))
        }
        let unknown = LocalFile(path: path, stamp: stamp, firstSeen: parts.time.timestamp)
        var written = if let former { former } else { try WrittenFile(unknown) }
        // Permission to read a file can be granted without changing its stamp, so store a stamp that no file has: it is read again then.
        written.file.stamp = fault.reason == .unreadable ? .unknown : stamp
        written.file.fault = fault.description
        if written.file.attachment == nil { written.file.attachment = try await finder.chart(path, of: fault, index)?.attachment }
        return written
    }
}
