import Glibc
public import Platform

/// Watches folders through inotify, on the loop: without a thread, and without waking up as long as nothing happens.
///
/// A process can run one at a time. Look at the folders once after starting: only what happens from then on is reported. A root that
/// cannot be watched, because it is on a network or too much is watched, is reported now and then as one to look at. A root that becomes
/// another folder, because one above it was moved or something was mounted, is watched again.
@LoopActor
public final class FolderWatcher: ListingEventSource {
    let roots: [WatchedRoot]
    private let open: @LoopActor () throws(WatchTrouble) -> Inotify
    let scans: SlowScans
    let renewal: WatchRenewal
    let listings = FirstListings()
    private var handler: (@LoopActor (FileEvent) -> Void)?
    private var onState: (@LoopActor (WatchState) -> Void)?
    /// What is watched at present; replaced whenever watching starts over.
    private(set) var watches: FolderWatches?
    private var mounts: MountNews?
    /// Which folders the roots were when their watches were set.
    var identities: [String: FileIdentity] = [:]
    var missing: [String] = []
    private var trouble: WatchTrouble?
    private var isDrainDue = false

    /// This many events are handled before others on the loop have their turn.
    private static let mostAtOnce = 512

    /// Makes a watcher of `roots`. However much is moved about, it starts over at most once in `spacing`. What cannot be watched, like
    /// what `isOnNetwork`, is to be looked at every `pace`; if a limit is the reason, watching is tried again every `retryAfter`.
    public convenience init(
        _ roots: [WatchedRoot], clock: any TimeKeeper, spacing: Duration = .milliseconds(500), pace: Duration = .seconds(60),
        retryAfter: Duration = .seconds(600), isOnNetwork: @escaping (String) -> Bool = Folder.isOnNetwork
    ) {
        self.init(
            roots, clock: clock, spacing: spacing, pace: pace, retryAfter: retryAfter, isOnNetwork: isOnNetwork, open: Inotify.init)
    }

    init(
        _ roots: [WatchedRoot], clock: any TimeKeeper, spacing: Duration = .milliseconds(500), pace: Duration,
        retryAfter: Duration = .seconds(600), isOnNetwork: @escaping (String) -> Bool,
        open: @escaping @LoopActor () throws(WatchTrouble) -> Inotify
    ) {
        self.roots = roots
        self.open = open
        scans = SlowScans(clock: clock, pace: pace, isOnNetwork: isOnNetwork)
        renewal = WatchRenewal(clock: clock, spacing: spacing, retryAfter: retryAfter)
    }

    /// The state of the watching.
    public var state: WatchState { WatchState(folders: watches?.count ?? 0, missing: missing, scanned: scanned, trouble: trouble) }

    /// Roots, and folders in them, from which no events come.
    var scanned: [String] {
        let paths = roots.map(\.path)
        guard trouble == nil else { return paths }
        return paths.filter(scans.remote.contains) + scans.remote.subtracting(paths).sorted()
    }

    /// Reports from now on, at a slow pace, that what cannot be watched has to be looked at.
    func scanSlowly() {
        guard !scanned.isEmpty else { return }
        scans.schedule { [weak self] in
            guard let self else { return }
            scanSlowly()
            for root in scanned { tell(.rescan(root)) }
        }
    }

    /// Has `body` called when a root vanished or came back, and when watching became impossible.
    public func hear(state body: @escaping @LoopActor (WatchState) -> Void) { onState = body }

    /// Begins. Fails only if another watcher is running; if a system limit prevents watching, `state` says so.
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

    func tell(_ event: FileEvent) {
        switch event {
        // The listing is made file by file, so that it is complete together with the events after it.
        case .written, .removed: break
        case .folderRemoved, .rescan: listings.forget()
        }
        handler?(event)
    }

    // MARK: Beginning

    private func begin(isFirst: Bool = false) {
        end()
        renewal.noteBeginning()
        do throws(WatchTrouble) {
            let watches = FolderWatches(try open())
            self.watches = watches
            do throws(SystemError) {
                try watches.listen { [weak self] in self?.drain() }
            } catch {
                throw .system(error)
            }
            for root in roots where !scans.isRemote(root.path) { try establish(root, isListing: isFirst) }
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
        identities = [:]
        missing = []
    }

    /// Gives up every watch: with some folders watched and others not, it would look as if all were; and other programs need their
    /// watches.
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
        // Whatever happened meanwhile was not seen.
        for root in roots { tell(.rescan(root.path)) }
    }

    private func settle(since before: WatchState) {
        let isNews = state.missing != before.missing || state.scanned != before.scanned || state.trouble != before.trouble
        if isNews { onState?(state) }
    }

    // MARK: Hearing

    private func drain() {
        guard let watches else { return }
        let before = state
        for _ in 0..<Self.mostAtOnce {
            guard let event = watches.next() else { return endOfNews() }
            take(event)
            guard self.watches === watches else {
                // Stopped by a handler, or out of watches, with events still unread.
                if trouble != nil {
                    settle(since: before)
                    for root in roots { tell(.rescan(root.path)) }
                }
                return
            }
        }
        // The descriptor does not show what the library has read already.
        guard !isDrainDue else { return }
        isDrainDue = true
        spawn {
            self.isDrainDue = false
            self.drain()
        }
    }

    /// What is mounted over a root, or unmounted, takes the root's place without an event from the watch.
    private func lookForMounts() {
        guard watches != nil else { return }
        for root in roots where !scans.remote.contains(root.path) && Self.identity(of: root) != identities[root.path] { renewal.need() }
        endOfNews()
    }

    /// What lies at a root's path, so that another folder that was mounted or moved there is noticed.
    static func identity(of root: WatchedRoot) -> FileIdentity? { FileIdentity(of: root.path.isEmpty ? "/" : root.path) }

    private func endOfNews() {
        if watches?.isCluttered == true { renewal.need() }
        renewal.attend { [weak self] in self?.beginAnew() }
    }
}
