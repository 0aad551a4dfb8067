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
    /// What was seen of a folder while the watching of it began, once.
    private let listed: @LoopActor (String) async -> FileListing?
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
    private lazy var named = NamedPDFs(roots: settings.roots, side: side)
    /// One look after the other; what is noted meanwhile is the next one's.
    private let work = ReconcileHints()
    private let matching = ReconcileHints()
    /// Roots of which it was told that all files in them are gone.
    private var emptyRoots: Set<String> = []
    /// Files that cannot be known, since their names are no text; their bytes are spelled out.
    private(set) var unusable: Set<String> = []
    private var hasLooked = false

    static let unusableName = "is not read: its name is not UTF-8 (shown with \\x); rename it"

    init(
        library: Library, settings: MarkSettings, side: SideThread, time: any TimeKeeper, log: Log,
        listed: @escaping @LoopActor (String) async -> FileListing? = { _ in nil },
        changed: @escaping @LoopActor () -> Void
    ) {
        self.library = library
        self.settings = settings
        self.side = side
        self.time = time
        self.log = log
        self.listed = listed
        self.changed = changed
    }

    private var roots: MarkRoots { settings.roots }

    /// Whether nothing is awaited or being read.
    var isQuiet: Bool { settler.isQuiet && work.isQuiet && matching.isQuiet }

    /// Waits until everything that was noted is read.
    func quiet() async {
        while !isQuiet {
            await settler.quiet()
            await work.quiet()
            await matching.quiet()
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
        matching.hint { [weak self] in await self?.matchUnmatched() }
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
        let isLook = isLookDue
        isLookDue = false
        var paths = waiting
        waiting = []
        do {
            if isLook { paths += try await compare() }
            let index = try library.markFileIndex()
            var isNews = false
            for start in stride(from: 0, to: paths.count, by: Self.readAtATime) {
                if try await read(Array(paths[start..<min(start + Self.readAtATime, paths.count)]), index) { isNews = true }
            }
            if isNews { changed() }
            // Files that had no chart may have one now; nobody has to wait for that.
            if isLook { matchAgain() }
        } catch {
            // What was to be read is found by looking.
            isLookDue = true
            log.error("\(error)")
        }
    }

    /// Lists all files; forgets those that are gone, and answers those that are not as they were when they were read.
    private func compare() async throws -> [String] {
        let listings = spawn { [side, roots, listed] in
            var listings: [(root: String, listing: FileListing)] = []
            for root in roots.folders {
                if let listing = await listed(root) {
                    listings.append((root, listing))
                } else {
                    listings.append((root, await side.run { roots.listing(of: root) }))
                }
            }
            return listings
        }
        // The list is made while the library is asked.
        await side.run {}
        let known = try library.localFileStamps()
        var paths: [String] = []
        let found = await listings.value
        tellUnusable(found.flatMap(\.listing.unusable))
        for (root, listing) in found {
            let comparison = MarkComparison(of: listing, below: root, with: known)
            paths += comparison.changed
            guard listing.files.isEmpty, !comparison.gone.isEmpty else {
                emptyRoots.remove(root)
                paths += comparison.gone
                continue
            }
            // A disk that is not there looks like this. Whoever deletes the last file while we run is seen doing it.
            guard emptyRoots.insert(root).inserted else { continue }
            log.warning(
                "\(root) has none of the \(comparison.gone.count) files of marks that were there; their marks stay until it is back, "
                    + "or until you say that they are gone for good: woodshed accept --gone '\(root)'")
        }
        return paths
    }

    /// Tells of files that cannot be known, since their names are no text, each of it once as long as it is there.
    private func tellUnusable(_ paths: [String]) {
        for path in paths where !unusable.contains(path) {
            log.warning("\(path) \(Self.unusableName)")
        }
        unusable = Set(paths)
    }

    /// Looks for charts for the files that had none: theirs may have come meanwhile. What they say is known.
    private func matchUnmatched() async {
        do {
            let index = try library.markFileIndex()
            var isNews = false
            let unmatched = try library.unmatchedReferences()
            if unmatched.isEmpty { named.forget() }
            for (place, (path, reference)) in unmatched.enumerated() {
                // Whatever else there is to do comes first.
                if place % 64 == 0 { await spawn {}.value }
                guard let match = await match(path, reference, index),
                    // It may have been read again meanwhile.
                    var file = try library.localFile(at: path), file.attachment == nil, file.content?.reference == reference
                else { continue }
                (file.attachment, file.markedOn) = (match.attachment, match.markedOn)
                if try library.store([file]) { isNews = true }
            }
            if isNews { changed() }
        } catch {
            log.error("\(error)")
        }
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
        let match = await match(path, content.reference, index)
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

    private func match(_ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex) async -> MarkFileMatch? {
        await index.match(path, reference, follow: Library.followingLinks) { [named] in await named.hash(at: $0) }
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
