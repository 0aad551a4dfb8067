import Annotations
import Glibc
package import Library
import Model
package import Platform
package import Watching

/// Keeps the library up to date with the user's own mark files. It only ever reads those.
@LoopActor
package final class MarkKeeper {
    /// What has been reported, so that it is reported only once.
    struct Told {
        /// Files reported as missing while the former file, which Xournal++ put aside, is still there.
        var aside: Set<String> = []
        /// Files reported as cut off: one that is being written is cut off at every look, in another place each time.
        var unfinished: Set<String> = []
        /// Files without a chart that have been reported, until those known from before are reported, too.
        var unmatched: Set<String>? = []
    }

    let library: Library
    let settings: MarkSettings
    let side: SideThread
    let time: any TimeKeeper
    let log: Log
    /// Takes the listing that was made of a folder when watching it began; each can be had once.
    let listed: @LoopActor (String) async -> FileListing?
    /// Called when what is drawn may have changed.
    let changed: @LoopActor () -> Void

    private(set) lazy var settler = Settler(quiet: settings.settle, ceiling: settings.settleMost, clock: time) { [weak self] paths in
        self?.work.hint { await self?.readWaiting() }
        self?.waiting += paths
    }
    /// Files that have come to rest and are to be read.
    var waiting: [String] = []
    /// What is to be compared with what is known.
    var lookDue = MarkLook.nothing
    /// The state of the folders at the last look at all of them.
    var standing = RootsOnDisk()
    /// What is wrong with the folders, as last reported.
    package var folders = MarkFolders()
    lazy var named = NamedPDFs(roots: settings.roots, side: side)
    /// One look at a time; what is noted during one is for the next.
    private let work = Hints()
    let matching = Hints()
    /// Files that may have marks on pages which their charts do not have: the pages of those have not been counted yet.
    var uncounted: [String: (pages: Set<PageIndex>, attachment: AttachmentID)] = [:]
    /// Paths that are not read as mark files and may have come, gone or changed.
    var passedOverDue: Set<String> = []
    /// For each folder, a file that was there when one was last looked for.
    var witnesses: [String: String] = [:]
    var told = Told()
    /// The files that were replaced lately: a folder is put back file by file.
    var replacedLately: [Replaced] = []
    private var hasLooked = false
    var isBeginning = true
    /// Closed until the first files, those for the nearest plans, are read, or there is nothing to read.
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

    /// Whether nothing is waiting or being read.
    package var isQuiet: Bool { settler.isQuiet && work.isQuiet && matching.isQuiet }

    /// Waits until everything that was noted has been read.
    package func quiet() async {
        while !isQuiet {
            await settler.quiet()
            await work.quiet()
            await matching.quiet()
        }
    }

    /// Compares all files with what is known, the first time it is called. If little is new, all of it is read before this returns, so
    /// that nothing is drawn with outdated marks; if much is new, nobody has to wait for all of it.
    package func lookOnce() async {
        tellUncounted()
        guard !hasLooked else { return }
        beginning.close()
        look()
        // It does not wait for files that are being written: that may never stop.
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

    /// Looks for charts for the mark files that had none.
    package func matchAgain() {
        matching.hint { [weak self] in await self?.matchUnmatched() }
    }

    /// Follows an event of the file system; those that do not concern marks are ignored.
    package func follow(_ event: FileEvent) {
        switch event {
        case .written(let path): note(path)
        // When a file that was put aside is removed, the file it stood in for may be gone, too.
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

    /// Looks again after a while, when something failed that may pass: a full disk, a locked library.
    func tryAgain() {
        guard !isStopped, retry.timer == nil else { return }
        retry.timer = time.schedule(at: time.now + retry.delay) { [weak self] in
            self?.retry.timer = nil
            self?.look()
        }
        retry.delay = min(retry.delay * 2, Self.firstRetryDelay * 64)
    }

    /// After a success, the next failure starts with the short delay again.
    func noteSuccess() { retry.delay = Self.firstRetryDelay }
}
