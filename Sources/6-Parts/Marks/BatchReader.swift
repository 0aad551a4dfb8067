import Annotations
import Catalogue
import ChartFiles
import Library
import Model
import Platform

/// Reads mark files, a batch at a time, and stores what they say.
@LoopActor
final class BatchReader {
    private let parts: MarkParts
    private let finder: MarkedChartFinder
    private let check: FolderCheck
    private let matching: MarkMatching
    private var olderStates = OlderStates()
    /// Files reported as missing while the former file, which Xournal++ put aside, is still there.
    private var reportedAside: Set<String> = []
    /// Files reported as cut off: one that is being written is cut off at every look, in another place each time.
    private var reportedUnfinished: Set<String> = []

    init(_ parts: MarkParts, _ finder: MarkedChartFinder, _ check: FolderCheck, _ matching: MarkMatching) {
        (self.parts, self.finder, self.check, self.matching) = (parts, finder, check, matching)
    }

    /// Removes duplicates, keeping the first: an event and a look may report the same file. Names that differ only in their Unicode form
    /// are different files.
    nonisolated static func once(_ paths: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return paths.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// Reads files again, or finds that they are gone; `look` gives the number of the look that found a file. Returns whether that may
    /// change what is drawn, and whether everything has to be looked at.
    func read(_ paths: [String], look: (String) -> Int) async throws -> (isNews: Bool, needsLook: Bool) {
        let away = try parts.library.markFiles.filesAway()
        let known = try paths.map { path throws(LibraryError) -> FileStamp? in
            guard !away.contains(path), let file = try parts.library.markFiles.writtenFile(at: path)?.file, file.fault == nil else {
                return nil
            }
            return file.stamp
        }
        // Of a file that was written here, everything is known by the time that its events come.
        let readings = await parts.side.run {
            zip(paths, known).compactMap { path, stamp in stamp != nil && stamp == FileStamp(ofFile: path) ? nil : MarkReading(path) }
        }
        return try await keep(readings, look: look)
    }

    /// Stores what was read. Returns the same.
    func keep(_ readings: [MarkReading], look: (String) -> Int) async throws -> (isNews: Bool, needsLook: Bool) {
        let index = try parts.library.matches.index()
        var isNews = false
        var read: [WrittenFile] = []
        var known: [[UInt8]: WrittenFile] = [:]
        var missing: [String] = []
        var newNames: [[UInt8]: String] = [:]
        for reading in readings {
            let path = reading.path
            let former = try parts.library.markFiles.writtenFile(at: path)
            known[Array(path.utf8)] = former
            switch reading.result {
            case .success(let content):
                var file = try await file(at: path, content, former: former, index)
                file.save = ObservedSave(look: look(path), of: file.file.stamp, now: parts.time.timestamp)
                // Among files that are alike, the one that was saved last is drawn.
                if !file.draws(as: former) || former?.file.stamp.modified != file.file.stamp.modified { isNews = true }
                reportedAside.remove(path)
                reportedUnfinished.remove(path)
                // A file that turns up under a new name has left the old one, and was not saved by that.
                for name in former == nil ? try parts.library.markFiles.localFilePaths(like: file.file.stamp) : [] {
                    missing.append(name)
                    newNames[Array(name.utf8)] = path
                    file.save = try parts.library.markFiles.lastSave(of: name)
                }
                read.append(file)
            case .failure(let fault) where fault.reason == .missing:
                if let former, !isAside(former.file, as: reading.aside) { missing.append(path) }
            case .failure(let fault):
                if let file = try await note(fault, at: path, reading.stampBefore, former: former, index) { read.append(file) }
            }
        }
        if let warning = try olderStates.keepNewerMarks(in: &read, besides: known, parts.library, parts.roots, now: parts.time.now) {
            parts.log.warning("\(warning)")
            // A file that was not read now may be among them.
            isNews = true
        }
        let away = try parts.library.markFiles.filesAway()
        let (gone, isInDoubt) = try await check.certainlyGone(missing, renamed: Set(newNames.keys))
        try parts.library.markFiles.store(
            written: read, forgetting: gone, history: MarkHistory(states: parts.settings.history, now: parts.time.timestamp))
        matching.forget(gone)
        reportedUnfinished.subtract(gone)
        for path in gone {
            parts.log.info(newNames[Array(path.utf8)].map { "\(path) is now called \($0)" } ?? "\(path) is gone, and its marks with it")
        }
        // Only looking at everything finds out which of the files that were away are back.
        return (isNews || !gone.isEmpty, isInDoubt || !away.isDisjoint(with: read.map(\.file.path) + gone))
    }

    /// Returns whether a file that is not there was only put aside by Xournal++, which is writing the new one or was ended while doing so.
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

    /// Keeps what the file said when it was last understood. Returns what to remember, if anything has changed.
    private func note(
        _ fault: MarkFileFault, at path: String, _ stamp: FileStamp?, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile? {
        guard let stamp else { return nil }
        // A file that is growing is cut off in another place at every look.
        let isReported = reportedUnfinished.contains(path) && fault.reason == .unfinished
        if fault.reason == .unfinished { reportedUnfinished.insert(path) } else { reportedUnfinished.remove(path) }
        if former?.file.fault != fault.description, !isReported {
            parts.log.warning("\(path) \(fault)" + (former?.version == nil ? "" : "; its last good marks are kept"))
        }
        let unknown = LocalFile(path: path, stamp: stamp, firstSeen: parts.time.timestamp)
        var written = if let former { former } else { try WrittenFile(unknown) }
        // Permission to read it can be given without a trace in the stamp.
        written.file.stamp = fault.reason == .unreadable ? .unknown : stamp
        written.file.fault = fault.description
        if written.file.attachment == nil { written.file.attachment = try await finder.chart(path, of: fault, index)?.attachment }
        return written
    }
}

/// Recognises files that go back to an older state. A folder that was put back from a backup, or an older copy of it that was mounted over
/// it, is no change that a person made to the marks.
private struct OlderStates {
    /// A file that was read without all of the marks that are known of it.
    private struct Loss {
        let place: Int
        let known: WrittenFile
        let stamp: FileStamp

        var isOlder: Bool {
            let former = known.file.stamp.modified
            return stamp.modified < former || known.file.wentBack && stamp.modified == former
        }
    }

    /// A file that lost marks, or was put there anew with the same marks, as a copy of a whole folder does to those that did not change.
    private struct Replaced {
        let path: [UInt8]
        let modified: Int64
        /// True if it fits an older state of the folder.
        let isOlder: Bool
        let noticed: Moment
    }

    /// A file that went back to an older state and was believed, as a person may have put it back: with what it said before.
    private struct Believed {
        let former: LocalFile
        var version: Digest?
        let noticed: Moment
    }

    /// The files that were replaced lately: a folder is put back file by file.
    private var replacedLately: [Replaced] = []
    /// Those of them that were believed before there were many.
    private var believedLately: [Believed] = []

    /// How far apart files may be read that count as lost at once.
    private static let aWhile: Duration = .seconds(600)
    /// This many files at once are not a person's work.
    private static let many = 3
    /// A person does not save that many files in less time than this, in nanoseconds.
    private static let shortTime: UInt64 = 10_000_000_000

    /// A file's time can be set to anything, so the difference may overflow.
    private static func areClose(_ one: Int64, _ other: Int64) -> Bool {
        let (between, isTooLong) = one.subtractingReportingOverflow(other)
        return !isTooLong && between.magnitude < shortTime
    }

    /// Keeps the newer marks of files in `read` that go back to an older state: on another disk, several at once, or in a folder where
    /// others did; also of several that were put there with a new date. `former` is what is known of them, by the bytes of their paths.
    /// Returns a warning if some did. With the one that makes them many, those that were believed before are in `read` as they were.
    @LoopActor
    mutating func keepNewerMarks(
        in read: inout [WrittenFile], besides former: [[UInt8]: WrittenFile], _ library: Library, _ roots: MarkRoots, now: Moment
    ) throws(LibraryError) -> String? {
        var (losses, replaced): ([Loss], [Replaced]) = ([], [])
        for (place, file) in read.enumerated() {
            let (path, stamp) = (Array(file.file.path.utf8), file.file.stamp)
            // A file that is for another chart by now is no older state of what it was.
            guard let known = former[path], known.file.attachment == file.file.attachment else { continue }
            guard known.version != file.version else {
                guard known.file.stamp.inode != stamp.inode else { continue }
                replaced.append(Replaced(path: path, modified: stamp.modified, isOlder: true, noticed: now))
                continue
            }
            guard let sums = file.sums, try library.markFiles.sums(of: file.file.path)?.subtracting(sums).isEmpty == false
            else { continue }
            let loss = Loss(place: place, known: known, stamp: stamp)
            losses.append(loss)
            replaced.append(Replaced(path: path, modified: stamp.modified, isOlder: loss.isOlder, noticed: now))
        }
        guard !replaced.isEmpty else { return nil }
        let news = Set(replaced.map(\.path))
        replacedLately.removeAll { now - $0.noticed > Self.aWhile || news.contains($0.path) }
        replacedLately += replaced
        believedLately.removeAll { now - $0.noticed > Self.aWhile }
        let isMany = replacedLately.count(where: \.isOlder) >= Self.many
        guard !losses.isEmpty || isMany && !believedLately.isEmpty else { return nil }
        let gone = Set(try library.markFiles.filesGoneBack().compactMap(roots.root))
        let back = losses.filter { loss in
            let isOnOtherDisk = loss.stamp.device != loss.known.file.stamp.device
            let isBesideOthers = roots.root(of: loss.known.file.path).map(gone.contains) ?? false
            if loss.isOlder, isMany || isOnOtherDisk || isBesideOthers { return true }
            return replacedLately.count { Self.areClose($0.modified, loss.stamp.modified) } >= Self.many
        }
        let places = Set(back.map(\.place))
        for loss in losses where loss.isOlder && !places.contains(loss.place) {
            try believe(loss, as: read[loss.place].version, library, now)
        }
        for loss in back {
            read[loss.place] = loss.known
            read[loss.place].file.stamp = loss.stamp
            read[loss.place].file.fault = nil
            read[loss.place].file.wentBack = true
        }
        let others = isMany ? try takeBack(in: &read, places, former, library) : []
        let fresh = back.filter { !$0.known.file.wentBack }.map(\.known.file.path) + others
        guard let first = fresh.first else { return nil }
        return "\(first)\(fresh.count > 1 ? " and \(fresh.count - 1) more" : "") went back to an older state; the newer marks are shown "
            + "until the newer files are back, or until you accept the older ones: "
            + woodshed("accept --gone \((roots.root(of: first) ?? first).shellQuoted)")
    }

    /// Remembers what a file said before it went back; if it goes back further, what it said first.
    @LoopActor
    private mutating func believe(_ loss: Loss, as version: Digest?, _ library: Library, _ now: Moment) throws(LibraryError) {
        let path = loss.known.file.path
        if let place = believedLately.firstIndex(where: { $0.former.path == path && $0.version == loss.known.version }) {
            believedLately[place].version = version
        } else if let former = try library.markFiles.file(at: path) {
            believedLately.removeAll { $0.former.path == path }
            believedLately.append(Believed(former: former, version: version, noticed: now))
        }
    }

    /// Puts the files that were believed, and have not been saved or deleted since, back to what they said before. `back` has the places
    /// of those in `read` that just went back further. Returns their paths.
    @LoopActor
    private mutating func takeBack(
        in read: inout [WrittenFile], _ back: Set<Int>, _ former: [[UInt8]: WrittenFile], _ library: Library
    ) throws(LibraryError) -> [String] {
        defer { believedLately = [] }
        var paths: [String] = []
        for believed in believedLately {
            let path = believed.former.path
            let place = read.firstIndex { $0.file.path.utf8.elementsEqual(path.utf8) }
            let known = former[Array(path.utf8)]
            let present: WrittenFile?
            if let place {
                present = back.contains(place) ? known : read[place]
            } else {
                // One that was looked at now and is not in `read` is gone, or cannot be read.
                present = known == nil ? try library.markFiles.writtenFile(at: path) : nil
            }
            guard let present, present.version == believed.version else { continue }
            var file = believed.former
            (file.stamp, file.fault, file.wentBack) = (place.map { read[$0].file.stamp } ?? present.file.stamp, nil, true)
            let whole = try WrittenFile(file)
            if let place { read[place] = whole } else { read.append(whole) }
            paths.append(path)
        }
        return paths
    }
}
