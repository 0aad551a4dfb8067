import Glibc
public import Platform

/// Watches folders through inotify, on the loop: without a thread, and without a wake-up as long as nothing happens.
///
/// There is one running at a time in a process. Look at the folders once after starting: only what happens from then on
/// is told. A root that cannot be watched, for it lies on a network or too much is watched, is told of as to be looked at, at a
/// slow pace. A root that becomes another folder, since one above it was moved or something was mounted, is watched anew.
@LoopActor
public final class FolderWatcher: ListingEventSource {
    let roots: [WatchedRoot]
    private let open: @LoopActor () throws(WatchTrouble) -> Inotify
    let scans: SlowScans
    let renewal: WatchRenewal
    let listings = FirstListings()
    private var handler: (@LoopActor (FileEvent) -> Void)?
    private var onState: (@LoopActor (WatchState) -> Void)?
    /// What is watched at present; another one whenever the watching begins anew.
    private(set) var watches: FolderWatches?
    private var mounts: MountNews?
    /// Which folders the roots were when their watches were set.
    var identities: [String: FolderIdentity] = [:]
    var missing: [String] = []
    private var trouble: WatchTrouble?
    private var isDrainDue = false

    /// So many events are taken before others on the loop have their turn.
    private static let mostAtOnce = 512

    /// Makes a watcher of `roots`. However much is moved about, it begins anew at most once in `spacing`.
    /// What cannot be watched, as what `isOnNetwork`, is to be looked at every `pace`; where a limit is why, watching is tried
    /// again every `retryAfter`.
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

    /// How the watching stands.
    public var state: WatchState { WatchState(folders: watches?.count ?? 0, missing: missing, scanned: scanned, trouble: trouble) }

    /// Roots, and folders in them, of which nothing is heard.
    var scanned: [String] {
        let paths = roots.map(\.path)
        guard trouble == nil else { return paths }
        return paths.filter(scans.remote.contains) + scans.remote.subtracting(paths).sorted()
    }

    /// Tells from now on, at a slow pace, to look at what cannot be watched.
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

    /// Begins. Fails only where another watcher runs; a limit of the system that stands in the way is told by `state`.
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
        // Told file by file, so that a listing and the events after it make a whole.
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

    /// Lets go of every watch: some folders seen and others not would pass for all seen, and other programs need theirs.
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
                // Stopped by whom it told, or out of watches, with news unheard.
                if trouble != nil {
                    settle(since: before)
                    for root in roots { tell(.rescan(root.path)) }
                }
                return
            }
        }
        // The descriptor says nothing of what the library has read already.
        guard !isDrainDue else { return }
        isDrainDue = true
        spawn {
            self.isDrainDue = false
            self.drain()
        }
    }

    /// What is mounted over a root, or is not any more, takes the root's place without a word to whoever watches that.
    private func lookForMounts() {
        guard watches != nil else { return }
        for root in roots where !scans.remote.contains(root.path) && FolderIdentity(root.path) != identities[root.path] { renewal.need() }
        endOfNews()
    }

    private func endOfNews() {
        if watches?.isCluttered == true { renewal.need() }
        renewal.attend { [weak self] in self?.beginAnew() }
    }
}
