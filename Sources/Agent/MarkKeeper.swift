import Annotations
import Glibc
import Library
import Model
import Platform
import Watching

/// Keeps what the library knows of the user's own files of marks as the files are. It reads them, and nothing else.
@LoopActor
final class MarkKeeper {
    private let library: Library
    private let settings: MarkSettings
    private let side: SideThread
    private let time: any TimeKeeper
    private let log: Log
    /// Called when what is drawn may have changed.
    private let changed: @LoopActor () -> Void

    private lazy var settler = Settler(quiet: settings.settle, ceiling: settings.settleMost, clock: time) { [weak self] paths in
        self?.work.hint { await self?.readWaiting() }
        self?.waiting += paths
    }
    /// Files that came to rest and are to be read.
    private var waiting: [String] = []
    /// Whether all files are to be compared with what is known.
    private var isLookDue = false
    /// Whether there may be charts now for files that had none.
    private var isMatchDue = false
    private lazy var named = NamedPDFs(roots: settings.roots, side: side)
    /// One look after the other; what is noted meanwhile is the next one's.
    private let work = ReconcileHints()
    private var hasLooked = false

    init(
        library: Library, settings: MarkSettings, side: SideThread, time: any TimeKeeper, log: Log,
        changed: @escaping @LoopActor () -> Void
    ) {
        self.library = library
        self.settings = settings
        self.side = side
        self.time = time
        self.log = log
        self.changed = changed
    }

    private var roots: MarkRoots { settings.roots }

    /// Whether nothing is awaited or being read.
    var isQuiet: Bool { settler.isQuiet && work.isQuiet }

    /// Waits until everything that was noted is read.
    func quiet() async {
        while !isQuiet {
            await settler.quiet()
            await work.quiet()
        }
    }

    /// Compares all files with what is known, the first time that it is asked.
    func lookOnce() async {
        guard !hasLooked else { return }
        look()
        // Not for files that are being written: somebody may never stop.
        await work.quiet()
    }

    /// Compares all files with what is known.
    func look() {
        hasLooked = true
        isLookDue = true
        work.hint { [weak self] in await self?.readWaiting() }
    }

    /// Looks for charts for the files that had none.
    func matchAgain() {
        isMatchDue = true
        work.hint { [weak self] in await self?.readWaiting() }
    }

    /// Takes news of the file system; what is not about marks is passed over.
    func follow(_ event: FileEvent) {
        switch event {
        case .written(let path): if roots.admits(path: path) { settler.note(path) }
        case .removed(let path):
            // What stood in for a file that is gone is gone, too.
            let file = path.hasSuffix("~") ? String(path.dropLast()) : path
            if roots.admits(path: file) { settler.note(file) }
        case .folderRemoved(let path), .rescan(let path):
            if roots.concerns(path) { look() }
        }
    }

    func stop() {
        settler.stop()
        waiting = []
    }

    // MARK: - Reading

    private func readWaiting() async {
        let (isLook, isMatch) = (isLookDue, isLookDue || isMatchDue)
        (isLookDue, isMatchDue) = (false, false)
        var paths = waiting
        waiting = []
        do {
            if isLook { paths += try await compare() }
            let index = try library.markFileIndex()
            var isNews = isMatch ? try await matchUnmatched(index) : false
            for start in stride(from: 0, to: paths.count, by: Self.readAtATime) {
                if try await read(Array(paths[start..<min(start + Self.readAtATime, paths.count)]), index) { isNews = true }
            }
            if isNews { changed() }
        } catch {
            // What was to be read is found by looking.
            isLookDue = true
            log.error("\(error)")
        }
    }

    /// Lists all files; forgets those that are gone, and answers those that are not as they were when they were read, or that
    /// belonged to no chart.
    private func compare() async throws -> [String] {
        let known = try library.localFileStamps()
        var paths: [String] = []
        for root in roots.folders {
            let listing = await side.run { [roots] in
                FileListing(below: root, folder: { roots.admits(folder: $0) }, file: { roots.admits(file: $0) })
            }
            let stamps = Dictionary(listing.files.map { (Array($0.path.utf8), $0.stamp) }) { first, _ in first }
            let before = known.filter { roots.root(of: $0.path) == root }
            let former = Dictionary(before.map { (Array($0.path.utf8), $0.stamp) }) { first, _ in first }
            paths += listing.files.filter { former[Array($0.path.utf8)] != $0.stamp }.map(\.path)
            let gone = before.map(\.path).filter { path in
                stamps[Array(path.utf8)] == nil && !listing.unread.contains { MarkRoots.isPath(path, in: $0) }
            }
            guard !gone.isEmpty else { continue }
            if listing.files.isEmpty {
                // A disk that is not there looks like this. Whoever deletes the last file while we run is seen doing it.
                log.warning("\(root) has none of the \(gone.count) files of marks that were there; their marks stay until it is back")
            } else {
                paths += gone
            }
        }
        return paths
    }

    /// Looks for charts for the files that had none: theirs may have come meanwhile. What they say is known.
    private func matchUnmatched(_ index: MarkFileIndex) async throws -> Bool {
        var found: [LocalFile] = []
        let unmatched = try library.unmatchedFiles()
        if unmatched.isEmpty { named.forget() }
        for var file in unmatched {
            guard let content = file.content, let match = await match(file.path, content, index) else { continue }
            (file.attachment, file.markedOn) = (match.attachment, match.markedOn)
            found.append(file)
        }
        return try library.store(found)
    }

    /// Few enough that one change is soon seen, and enough that a thousand are not a thousand commits.
    private static let readAtATime = 32

    private struct Reading {
        /// The file as it was before it was read: what it becomes meanwhile is to be seen as different.
        let former: FileStamp?
        let result: Result<(file: MarkFile, stamp: FileStamp), MarkFileFault>

        init(_ path: String) {
            former = FileStamp(ofFile: path)
            result = Result { () throws(MarkFileFault) in try MarkFileReader.read(path: path) }
        }
    }

    /// Reads files again, or finds that they are gone. Answers whether that may change what is drawn.
    private func read(_ paths: [String], _ index: MarkFileIndex) async throws -> Bool {
        let readings = await side.run { paths.map { Reading($0) } }
        var isNews = false
        var read: [LocalFile] = []
        var gone: [String] = []
        for (path, reading) in zip(paths, readings) {
            let former = try library.localFile(at: path)
            switch reading.result {
            case .success(let (content, stamp)):
                let file = try await file(at: path, content, stamp, former: former, index)
                if former?.layer != file.layer { isNews = true }
                read.append(file)
            case .failure(let fault) where fault.reason == .missing:
                // Xournal++ puts the former file aside while it writes the next, and may have done so between two looks.
                guard former != nil, access(path + "~", F_OK) != 0, access(path, F_OK) != 0 else { continue }
                gone.append(path)
                isNews = true
            case .failure(let fault):
                if let file = note(fault, at: path, reading.former, former: former) { read.append(file) }
            }
        }
        try library.store(read)
        try library.forget(localFiles: gone)
        for path in gone { log.info("\(path) is gone, and its marks with it") }
        return isNews
    }

    private func file(
        at path: String, _ content: MarkFile, _ stamp: FileStamp, former: LocalFile?, _ index: MarkFileIndex
    ) async throws -> LocalFile {
        let match = await match(path, content, index)
        let file = LocalFile(
            path: path, stamp: stamp, firstSeen: former?.firstSeen ?? Timestamp(sinceEpoch: time.wallTime),
            attachment: match?.attachment, markedOn: match?.markedOn, content: content)
        if former?.content != content {
            for note in content.notes { log.info("\(path): \(note)") }
        }
        if file.attachment == nil, former == nil || former?.attachment != nil {
            log.warning("\(path) belongs to no chart that is here; its marks are shown as soon as one fits")
        }
        if let attachment = file.attachment, former?.layer != file.layer { try tellPagesThatAreNotThere(file, attachment) }
        return file
    }

    private func tellPagesThatAreNotThere(_ file: LocalFile, _ attachment: AttachmentID) throws(LibraryError) {
        guard let chart = try library.chart(of: attachment), let pages = try library.description(of: chart.hash)?.pages.count else {
            return
        }
        let beyond = Set((file.content?.marks ?? []).map(\.page).filter { $0.value >= pages }).sorted()
        guard let first = beyond.first else { return }
        log.warning(
            "\(file.path) has marks on \(first)\(beyond.count > 1 ? " and others" : ""), which its chart of \(pages) pages does not have")
    }

    private func match(_ path: String, _ content: MarkFile, _ index: MarkFileIndex) async -> MarkFileMatch? {
        await index.match(path, content.reference, follow: Library.followingLinks) { [named] in await named.hash(at: $0) }
    }

    /// What it said when it was last understood stays. Answers what is to be remembered, if that is news.
    private func note(_ fault: MarkFileFault, at path: String, _ stamp: FileStamp?, former: LocalFile?) -> LocalFile? {
        guard let stamp else { return nil }
        if former?.fault != fault.description {
            log.warning("\(path) \(fault)" + (former?.content == nil ? "" : "; its last good marks stay"))
        }
        var file = former ?? LocalFile(path: path, stamp: stamp, firstSeen: Timestamp(sinceEpoch: time.wallTime))
        // A right to read it is given without a trace in the stamp.
        file.stamp = fault.reason == .unreadable ? .unknown : stamp
        file.fault = fault.description
        return file
    }
}

extension FileStamp {
    /// That of no file: whatever is there is different.
    fileprivate static let unknown = FileStamp(device: 0, inode: 0, size: 0, modified: 0)

    fileprivate init?(ofFile path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
