import Annotations
import Glibc
package import Library
import Model
package import Platform
package import Watching

/// Keeps what the library knows of the user's own files of marks as the files are. It reads them, and nothing else.
@LoopActor
package final class MarkKeeper {
    /// What was told of, so that it is told once.
    struct Told {
        /// Files of which it was told that what stood in for them while they were saved still does.
        var aside: Set<String> = []
        /// Files of which it was told that they are cut off: one that somebody writes is so at every look, in another place each time.
        var unfinished: Set<String> = []
        /// Files without a chart of which it was told, until what was known before is told, too.
        var unmatched: Set<String>? = []
    }

    let library: Library
    private let settings: MarkSettings
    let side: SideThread
    let time: any TimeKeeper
    let log: Log
    /// What was seen of a folder while the watching of it began, once.
    let listed: @LoopActor (String) async -> FileListing?
    /// Called when what is drawn may have changed.
    let changed: @LoopActor () -> Void

    private(set) lazy var settler = Settler(quiet: settings.settle, ceiling: settings.settleMost, clock: time) { [weak self] paths in
        self?.work.hint { await self?.readWaiting() }
        self?.waiting += paths
    }
    /// Files that came to rest and are to be read.
    var waiting: [String] = []
    /// What is to be compared with what is known.
    var lookDue = MarkLook.nothing
    /// The folders as they were found at the last look at all of them.
    var standing = RootsOnDisk()
    /// What is wrong with them, as told.
    package var folders = MarkFolders()
    lazy var named = NamedPDFs(roots: settings.roots, side: side)
    /// One look after the other; what is noted meanwhile is the next one's.
    private let work = Hints()
    let matching = Hints()
    /// Files that may have marks on pages which their charts do not have: nobody has counted those yet.
    var uncounted: [String: (pages: Set<PageIndex>, attachment: AttachmentID)] = [:]
    /// What is no file that is read, and may have come, gone or changed.
    var passedOverDue: Set<String> = []
    /// A file in each folder that was there when it was last looked for one.
    var witnesses: [String: String] = [:]
    var told = Told()
    private var hasLooked = false
    var isBeginning = true
    /// Closed until the first files are read, the nearest ones, or there is nothing to read.
    let beginning = Gate()
    private var retry: (timer: TimerID?, delay: Duration) = (nil, firstRetryDelay)
    private var isStopped = false

    /// Doubled until it works, up to some twenty minutes.
    private static let firstRetryDelay: Duration = .seconds(20)

    package init(
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
    package var isQuiet: Bool { settler.isQuiet && work.isQuiet && matching.isQuiet }

    /// Waits until everything that was noted is read.
    package func quiet() async {
        while !isQuiet {
            await settler.quiet()
            await work.quiet()
            await matching.quiet()
        }
    }

    /// Compares all files with what is known, the first time that it is asked. What is new is read as far as it is few, so that
    /// nothing is drawn with marks that are not the present ones; where it is much, nobody has to wait for all of it.
    package func lookOnce() async {
        tellUncounted()
        guard !hasLooked else { return }
        beginning.close()
        look()
        // Not for files that are being written: somebody may never stop.
        await beginning.pass()
    }

    /// Compares all files with what is known.
    package func look() {
        hasLooked = true
        look(at: .all)
    }

    private func look(at look: MarkLook) {
        lookDue.formUnion(look)
        work.hint { [weak self] in await self?.readWaiting() }
    }

    /// Looks for charts for the files that had none.
    package func matchAgain() {
        matching.hint { [weak self] in await self?.matchUnmatched() }
    }

    /// Takes news of the file system; what is not about marks is passed over.
    package func follow(_ event: FileEvent) {
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
        if roots.admits(path: path) {
            settler.note(path)
        } else if roots.mayMiss(path: path) {
            passedOverDue.insert(path)
            work.hint { [weak self] in await self?.readWaiting() }
        }
    }

    package func stop() {
        isStopped = true
        if let timer = retry.timer { time.cancel(timer) }
        retry.timer = nil
        settler.stop()
        waiting = []
        beginning.open()
    }

    /// Looks again after a while, when something failed that may pass: a full disk, a library that somebody holds.
    func tryAgain() {
        guard !isStopped, retry.timer == nil else { return }
        retry.timer = time.schedule(at: time.now + retry.delay) { [weak self] in
            self?.retry.timer = nil
            self?.look()
        }
        retry.delay = min(retry.delay * 2, Self.firstRetryDelay * 64)
    }

    /// The next failure is the first one again.
    func noteSuccess() { retry.delay = Self.firstRetryDelay }
}
