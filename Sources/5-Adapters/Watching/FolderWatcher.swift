import Glibc
public import Platform

/// Watches folders through inotify, on the loop. It needs no thread, and does not wake up while nothing happens.
///
/// A process can run only one watcher at a time. Only changes after the start are reported, so list the folders once after starting. For a
/// folder that cannot be watched, because it is on a network or a system limit is reached, a rescan is reported from time to time. If
/// another folder takes the path of a root, because a folder above it was moved or something was mounted, the root is watched anew.
@LoopActor
public final class FolderWatcher: ListingEventSource {
    private let roots: [WatchedRoot]
    private let open: @LoopActor () throws(WatchTrouble) -> Inotify
    private let scans: SlowScans
    private let renewal: WatchRenewal
    private let listings = FirstListings()
    private var handler: (@LoopActor (FileEvent) -> Void)?
    private var onState: (@LoopActor (WatchState) -> Void)?
    /// The present watches; replaced whenever watching starts over.
    private(set) var watches: FolderWatches?
    private var mounts: MountNews?
    private var trouble: WatchTrouble?
    private var isDrainDue = false

    /// The most events that are handled before other work on the loop gets its turn.
    private static let mostAtOnce = 512

    /// Makes a watcher of `roots`. Watching starts over at most once in `spacing`. Folders that cannot be watched, such as network folders
    /// according to `mounts`, are rescanned every `pace`. After a limit was reached, watching is tried again every `retryAfter`.
    public convenience init(
        _ roots: [WatchedRoot], clock: any TimeKeeper, spacing: Duration = .milliseconds(500), pace: Duration = .seconds(60),
        retryAfter: Duration = .seconds(600), mounts: @escaping () -> Mounts = { Mounts.present }
    ) {
        self.init(roots, clock: clock, spacing: spacing, pace: pace, retryAfter: retryAfter, mounts: mounts, open: Inotify.init)
    }

    init(
        _ roots: [WatchedRoot], clock: any TimeKeeper, spacing: Duration = .milliseconds(500), pace: Duration,
        retryAfter: Duration = .seconds(600), mounts: @escaping () -> Mounts,
        open: @escaping @LoopActor () throws(WatchTrouble) -> Inotify
    ) {
        self.roots = roots
        self.open = open
        scans = SlowScans(clock: clock, pace: pace, mounts: mounts)
        renewal = WatchRenewal(clock: clock, spacing: spacing, retryAfter: retryAfter)
    }

    public var state: WatchState {
        WatchState(folders: watches?.count ?? 0, missing: watches?.missing ?? [], scanned: scanned, trouble: trouble)
    }

    /// The roots, and folders in them, for which no events come.
    private var scanned: [String] {
        let paths = roots.map(\.path)
        guard trouble == nil else { return paths }
        return paths.filter(scans.remote.contains) + scans.remote.subtracting(paths).sorted()
    }

    /// Starts the timer after which a rescan is reported for each unwatched folder, again and again.
    private func scanSlowly() {
        guard !scanned.isEmpty else { return }
        scans.schedule { [weak self] in
            guard let self else { return }
            scanSlowly()
            for root in scanned { report(.rescan(root)) }
        }
    }

    /// Sets the function that is called when a root disappears or returns, or when watching fails or starts to work again.
    public func setListener(forState body: @escaping @LoopActor (WatchState) -> Void) { onState = body }

    /// Starts watching. Fails only if another watcher is running. If a system limit prevents watching, the state contains the trouble.
    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        stop()
        self.handler = handler
        begin(isFirst: true)
        mounts = MountNews { [weak self] in self?.lookForMounts() }
        if case .system(let error) = trouble, error.code == EBUSY {
            stop()
            throw error
        }
    }

    public func stop() {
        handler = nil
        mounts?.stop()
        mounts = nil
        end()
        scans.end()
        trouble = nil
    }

    public func takeListing(of root: String) async -> FileListing? {
        await listings.take(root)
    }

    private func report(_ event: FileEvent) {
        switch event {
        // A file's stamp is read only when the listing is taken. So the listing and the later events together are complete.
        case .written, .removed: break
        case .folderRemoved, .rescan: listings.forget()
        }
        handler?(event)
    }

    // MARK: Beginning

    private func begin(isFirst: Bool = false) {
        end()
        renewal.noteBeginning()
        _ = scans.readMounts(in: roots.map(\.path))
        do throws(WatchTrouble) {
            let watches = FolderWatches(try open(), scans: scans, listings: listings)
            self.watches = watches
            try watches.listen { [weak self] in self?.drain() }
            for root in roots where !scans.isRemote(root.path) { try watches.establish(root, isListing: isFirst) }
            trouble = nil
            scanSlowly()
        } catch {
            giveUp(error)
        }
    }

    private func end() {
        renewal.clear()
        listings.forget()
        watches?.close()
        watches = nil
    }

    /// Gives up every watch. If only some folders were watched, it would look as if all were. Other programs need watches, too.
    func giveUp(_ trouble: WatchTrouble) {
        end()
        self.trouble = trouble
        scanSlowly()
        renewal.retry { [weak self] in self?.beginAnew() }
    }

    private func beginAnew() {
        let before = state
        begin()
        settle(since: before)
        // Changes were missed while nothing was watched.
        for root in roots { report(.rescan(root.path)) }
    }

    private func settle(since before: WatchState) {
        let isNews = state.missing != before.missing || state.scanned != before.scanned || state.trouble != before.trouble
        if isNews { onState?(state) }
    }

    // MARK: Receiving

    private func drain() {
        guard let watches else { return }
        let before = state
        for _ in 0..<Self.mostAtOnce {
            guard let event = watches.next() else { return endOfNews() }
            receive(event)
            guard self.watches === watches else {
                // A handler stopped the watcher, or a limit ended all watches, while events were still unread.
                if trouble != nil {
                    settle(since: before)
                    for root in roots { report(.rescan(root.path)) }
                }
                return
            }
        }
        // The library may already have read more events from the descriptor, which then is not readable any more.
        guard !isDrainDue else { return }
        isDrainDue = true
        spawn {
            self.isDrainDue = false
            self.drain()
        }
    }

    /// Looks for changed mounts. A folder that is mounted over a root, or appears when another folder is unmounted, causes no event
    /// of the root's watch.
    private func lookForMounts() {
        guard let watches else { return }
        if scans.readMounts(in: roots.map(\.path)) { renewal.need() }
        // Do not touch roots that are, or ever were, on a network.
        for root in roots where !scans.remote.contains(root.path) && (scans.isRemote(root.path) || watches.isReplaced(root)) {
            renewal.need()
        }
        endOfNews()
    }

    private func endOfNews() {
        if watches?.isCluttered == true { renewal.need() }
        renewal.beginIfNeeded { [weak self] in self?.beginAnew() }
    }

    // MARK: - One event

    private func receive(_ event: InotifyEvent) {
        // This is only the kernel's notice that a watch ended. The reason has already been reported.
        if event.has(IN_IGNORED) { return }
        guard !event.has(IN_Q_OVERFLOW), let folder = event.folder else {
            renewal.need()
            return
        }
        if event.has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
            if roots.contains(where: { $0.path == folder }) { report(.folderRemoved(folder)) }
            renewal.need()
            return
        }
        guard let name = event.name else { return reportStrange(event, in: folder) }
        // An event about a folder itself is handled when the folder's parent reports it.
        guard !name.isEmpty else { return }
        // A temporary file is reported under its final name, after it was renamed.
        guard !name.hasPrefix(AtomicFile.temporaryPrefix) else { return }
        let path = folder + "/" + name
        if event.has(IN_CREATE | IN_MOVED_TO | IN_ATTRIB) { lookForRoots(at: path) }
        if event.has(IN_ATTRIB) {
            // A folder that was unreadable may be readable now.
            if event.has(IN_ISDIR), watches?.isWatched(path) != true { folderCame(path) }
            return
        }
        if event.has(IN_ISDIR) {
            event.has(IN_CREATE | IN_MOVED_TO) ? folderCame(path) : folderWent(path, isElsewhere: event.has(IN_MOVED_FROM))
        } else {
            reportFile(path, in: folder, event)
        }
    }

    /// If a name of interest that is not valid text has changed in a folder, reports a rescan of the folder, since such a name
    /// cannot be part of a path.
    private func reportStrange(_ event: InotifyEvent, in folder: String) {
        guard !event.has(IN_ATTRIB) else { return }
        let isOfInterest = roots.contains { root in
            guard root.level(of: folder) != nil else { return false }
            guard !event.has(IN_ISDIR), let lists = root.lists else { return true }
            return event.bytes.withUnsafeBytes(lists)
        }
        if isOfInterest { report(.rescan(folder)) }
    }

    private func reportFile(_ path: String, in folder: String, _ event: InotifyEvent) {
        let news = roots.reduce(into: WatchNews()) { if $1.level(of: folder) != nil { $0.formUnion($1.news) } }
        if event.has(IN_CLOSE_WRITE | IN_MOVED_TO), news.contains(.writes) { report(.written(path)) }
        if event.has(IN_DELETE | IN_MOVED_FROM), news.contains(.removals) { report(.removed(path)) }
        if event.has(IN_CREATE), isNeverWritten(path) { report(.written(path)) }
    }

    /// Returns whether no writer will ever close the file with a new name of interest: the name is another hard link to a file, or
    /// the file is not a regular one.
    private func isNeverWritten(_ path: String) -> Bool {
        let isOfInterest = roots.contains { root in
            guard root.news.contains(.writes), let relative = root.relative(path) else { return false }
            guard let lists = root.lists else {
                return root.news.contains(.links) && !relative.isEmpty && root.level(of: Folder.parent(of: path)) != nil
            }
            let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] } ?? path.utf8[...]
            return Array(name).withUnsafeBytes { lists($0) || root.passesOver?($0, true) ?? false }
        }
        var status = stat()
        guard isOfInterest, lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }

    /// Watches a folder that has appeared. Changes before its watch was set were not reported, so a rescan of its contents is reported.
    private func folderCame(_ path: String) {
        // Starting over will find the folder, and will report a rescan of every root.
        guard !renewal.isNeeded else { return }
        var isWatched = false
        do throws(WatchTrouble) {
            for root in roots where try watches?.watch(path, of: root) == true { isWatched = true }
        } catch {
            return giveUp(error)
        }
        if isWatched { report(.rescan(path)) }
        // Begin slow scans if the folder is a network share, which is scanned instead of watched.
        scanSlowly()
    }

    /// Handles the loss of a folder, on the parent's event rather than the folder's own. If a program holds the folder open, its
    /// own event comes late, when another folder may have the same name.
    private func folderWent(_ path: String, isElsewhere: Bool) {
        // The watch of a folder that was moved stays with it, and would report its old path.
        if watches?.forget(path) == true, isElsewhere { renewal.need() }
        // Report even a folder that was removed before it could be watched, since it may have been listed.
        if roots.contains(where: { $0.level(of: path) != nil }) { report(.folderRemoved(path)) }
    }

    private func lookForRoots(at path: String) {
        if watches?.missing.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) == true { renewal.need() }
    }
}
