import Annotations
import Glibc
import Library
import Model
import Platform
import Watching

/// Keeps what the library knows of the user's own files of marks as the files are. It reads them, and nothing else.
@LoopActor
final class MarkKeeper {
    let library: Library
    private let settings: MarkSettings
    let side: SideThread
    private let time: any TimeKeeper
    let log: Log
    /// What was seen of a folder while the watching of it began, once.
    let listed: @LoopActor (String) async -> FileListing?
    /// Called when what is drawn may have changed.
    let changed: @LoopActor () -> Void

    private lazy var settler = Settler(quiet: settings.settle, ceiling: settings.settleMost, clock: time) { [weak self] paths in
        self?.work.hint { await self?.readWaiting() }
        self?.waiting += paths
    }
    /// Files that came to rest and are to be read.
    private var waiting: [String] = []
    /// What is to be compared with what is known.
    private var lookDue = MarkLook.nothing
    /// The folders as they were found at the last look at all of them.
    var standing = StandingRoots()
    /// What is wrong with them, as told.
    var folders = MarkFolders()
    lazy var named = NamedPDFs(roots: settings.roots, side: side)
    /// One look after the other; what is noted meanwhile is the next one's.
    private let work = ReconcileHints()
    let matching = ReconcileHints()
    /// Files of which it was told that what stood in for them while they were saved still does.
    private var aside: Set<String> = []
    /// Files that may have marks on pages which their charts do not have: nobody has counted those yet.
    var uncounted: [String: (pages: Set<PageIndex>, attachment: AttachmentID)] = [:]
    /// Files that cannot be known, since their names are no text; their bytes are spelled out.
    var unusable: Set<String> = []
    private var hasLooked = false
    private var isBeginning = true
    private var retry: TimerID?
    private var retryDelay = firstRetryDelay
    private var isStopped = false

    /// Doubled until it works, up to some twenty minutes.
    private static let firstRetryDelay: Duration = .seconds(20)

    nonisolated static let unusableName = "is not read: its name is not UTF-8 (shown with \\x); rename it"

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

    var roots: MarkRoots { settings.roots }

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
        tellUncounted()
        guard !hasLooked else { return }
        look()
        // Not for files that are being written: somebody may never stop.
        await work.quiet()
    }

    /// Compares all files with what is known.
    func look() {
        hasLooked = true
        look(at: .all)
    }

    private func look(at look: MarkLook) {
        lookDue.formUnion(look)
        work.hint { [weak self] in await self?.readWaiting() }
    }

    /// Looks for charts for the files that had none.
    func matchAgain() {
        matching.hint { [weak self] in await self?.matchUnmatched() }
    }

    /// Takes news of the file system; what is not about marks is passed over.
    func follow(_ event: FileEvent) {
        switch event {
        case .written(let path): note(path)
        // What stood in for a file that is gone is gone, too.
        case .removed(let path): note(path.hasSuffix("~") ? String(path.dropLast()) : path)
        case .folderRemoved(let path), .rescan(let path):
            let path = standing.path(path, in: roots)
            if !hasLooked || !roots.isBelow(path) {
                if roots.concerns(path) { look() }
            } else if roots.reaches(folder: path) {
                look(at: .folders([path]))
            }
        }
    }

    private func note(_ path: String) {
        let path = standing.path(path, in: roots)
        if roots.admits(path: path) { settler.note(path) }
    }

    func stop() {
        isStopped = true
        if let retry { time.cancel(retry) }
        retry = nil
        settler.stop()
        waiting = []
    }

    /// Looks again after a while, when something failed that may pass: a full disk, a library that somebody holds.
    func tryAgain() {
        guard !isStopped, retry == nil else { return }
        retry = time.schedule(at: time.now + retryDelay) { [weak self] in
            self?.retry = nil
            self?.look()
        }
        retryDelay = min(retryDelay * 2, Self.firstRetryDelay * 64)
    }

    // MARK: - Reading

    private func readWaiting() async {
        let look = lookDue
        lookDue = .nothing
        var paths = waiting
        waiting = []
        do {
            var isNews = false
            if look != .nothing {
                let found = try await compare(look)
                paths += found.changed
                isNews = found.isNews
                // Another program may be writing them anew; but nothing is drawn yet when we begin.
                if isBeginning { paths += found.gone } else { for path in found.gone { settler.note(path) } }
                if look == .all { isBeginning = false }
            }
            let index = try library.markFileIndex()
            for start in stride(from: 0, to: paths.count, by: Self.readAtATime) {
                if try await read(Array(paths[start..<min(start + Self.readAtATime, paths.count)]), index) { isNews = true }
            }
            if isNews { changed() }
            // Files that had no chart may have one now; nobody has to wait for that.
            if look == .all { matchAgain() }
            retryDelay = Self.firstRetryDelay
        } catch {
            // What was to be read is found by looking.
            lookDue = .all
            log.error("\(error)")
            tryAgain()
        }
    }

    /// Few enough that one change is soon seen, and enough that a thousand are not a thousand commits.
    private static let readAtATime = 32

    private struct Reading {
        /// The file as it was before it was read: what it becomes meanwhile is to be seen as different.
        let former: FileStamp?
        let result: Result<Content, MarkFileFault>
        /// What Xournal++ puts the former file aside as while it writes the next.
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
                    // For which chart, and since when it is known, is found out beside the library.
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
    private func read(_ paths: [String], _ index: MarkFileIndex) async throws -> Bool {
        let readings = await side.run { paths.map { Reading($0) } }
        var isNews = false
        var read: [WrittenFile] = []
        var missing: [String] = []
        for (path, reading) in zip(paths, readings) {
            let former = try library.writtenFile(at: path)
            switch reading.result {
            case .success(let content):
                let file = try await file(at: path, content, former: former, index)
                if !file.draws(as: former) { isNews = true }
                read.append(file)
                aside.remove(path)
                // One that turns up under a new name has left the old one.
                if former == nil { missing += try library.localFilePaths(like: file.file.stamp) }
            case .failure(let fault) where fault.reason == .missing:
                if let former, !isAside(former.file, as: reading.aside) { missing.append(path) }
            case .failure(let fault):
                if let file = try note(fault, at: path, reading.former, former: former) { read.append(file) }
            }
        }
        let gone = await certainlyGone(missing)
        try library.store(written: read, forgetting: gone)
        uncounted = uncounted.filter { !gone.contains($0.key) }
        for path in gone { log.info("\(path) is gone, and its marks with it") }
        return isNews || !gone.isEmpty
    }

    /// Those of `paths` that are not there, in folders that are what they were. Where a folder went away with all that
    /// is in it, everything is looked at again.
    private func certainlyGone(_ paths: [String]) async -> [String] {
        guard !paths.isEmpty else { return [] }
        let homes = Set(paths.compactMap(roots.root))
        let (missing, unchanged) = await side.run { [standing] in
            // In this order: a folder that is away only since then is no folder that stood.
            let missing = Set(paths).filter { access($0, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) }
            return (missing.sorted { $0.precedesByBytes($1) }, standing.unchanged(homes))
        }
        let gone = missing.filter { roots.root(of: $0).map(unchanged.contains) ?? false }
        if gone.count < missing.count { look() }
        return gone
    }

    /// Whether a file that is not there is only put aside by Xournal++, which writes the next one or was ended meanwhile.
    private func isAside(_ file: LocalFile, as other: FileStamp?) -> Bool {
        guard let other, other.standsIn(for: file.stamp) else { return false }
        if aside.insert(file.path).inserted {
            log.info("\(file.path) is not there but \(file.path)~ is; its marks stay until that is renamed back or deleted")
        }
        return true
    }

    private func file(
        at path: String, _ content: Reading.Content, former: WrittenFile?, _ index: MarkFileIndex
    ) async throws -> WrittenFile {
        var written = content.written
        let match = await match(path, written.file.content?.reference ?? MarkFile.Reference(), index)
        written.file.firstSeen = former?.file.firstSeen ?? Timestamp(sinceEpoch: time.wallTime)
        (written.file.attachment, written.file.markedOn) = (match?.attachment, match?.markedOn)
        let file = written.file
        if former?.file.content != file.content || former?.version != written.version {
            for note in file.content?.notes ?? [] { log.info("\(path): \(note)") }
        }
        if file.attachment == nil, former == nil || former?.file.attachment != nil {
            log.warning("\(path) belongs to no chart that is here; its marks are shown as soon as one fits")
        }
        if let attachment = file.attachment, !written.draws(as: former) {
            try tellPagesThatAreNotThere(path, content.pages, attachment)
        }
        return written
    }

    /// What it said when it was last understood stays. Answers what is to be remembered, if that is news.
    private func note(_ fault: MarkFileFault, at path: String, _ stamp: FileStamp?, former: WrittenFile?) throws(LibraryError)
        -> WrittenFile?
    {
        guard let stamp else { return nil }
        if former?.file.fault != fault.description {
            log.warning("\(path) \(fault)" + (former?.version == nil ? "" : "; its last good marks stay"))
        }
        let unknown = LocalFile(path: path, stamp: stamp, firstSeen: Timestamp(sinceEpoch: time.wallTime))
        var written = if let former { former } else { try WrittenFile(unknown) }
        // A right to read it is given without a trace in the stamp.
        written.file.stamp = fault.reason == .unreadable ? .unknown : stamp
        written.file.fault = fault.description
        return written
    }
}
