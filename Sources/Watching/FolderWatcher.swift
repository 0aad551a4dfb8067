import Glibc
public import Platform

/// Watches folders through inotify, on the loop: without a thread, and without a wake-up as long as nothing happens.
///
/// There is one running at a time in a process. Look at the folders once after starting: only what happens from then on
/// is told. A root that cannot be watched, for it lies on a network or too much is watched, is told of as to be looked at, at a
/// slow pace. A root that becomes another folder, since one above it was moved or something was mounted, is watched anew.
@LoopActor
public final class FolderWatcher: ListingEventSource {
    private var onState: (@LoopActor (WatchState) -> Void)?

    let roots: [WatchedRoot]
    let clock: any TimeKeeper
    private let spacing: Duration
    private var handler: (@LoopActor (FileEvent) -> Void)?
    var inotify: Inotify?
    private var descriptor: DescriptorWatch?
    /// The watched folders that are there by all that was heard, with what each is watched for.
    var watched: [String: UInt32] = [:]
    /// Those of them that only lie above a root, and are to tell that they were moved.
    var above: Set<String> = []
    /// Which folders the roots were when their watches were set.
    var identities: [String: FolderIdentity] = [:]
    private var mounts: MountNews?
    var missing: [String] = []
    private var trouble: WatchTrouble?
    /// How often what cannot be watched is to be looked at.
    let pace: Duration
    let isOnNetwork: (String) -> Bool
    /// Roots, and folders in them, of which others' changes are not heard. They stay that until the end, for a share may come
    /// and go.
    var remote: Set<String> = []
    var scan: TimerID?
    /// How long after a limit was met the watching is tried again: it may have been raised.
    private let retryAfter: Duration
    private var retry: TimerID?
    private let open: @LoopActor () throws(WatchTrouble) -> Inotify
    /// What was in the roots when the watches were set, until something is told that makes it old.
    var listings: [String: TreeNames] = [:]
    private(set) var isListing = false
    private let side = SideThread()
    private let otherSide = SideThread()
    /// Set when names may have been missed or the library would tell old ones: only beginning anew helps.
    var mustBeginAnew = false
    /// Vanished folders of which the library keeps a record.
    var forgotten = 0
    private var begunAt: Moment?
    private var timer: TimerID?
    private var isDrainDue = false

    /// So many events are taken before others on the loop have their turn.
    private static let mostAtOnce = 512
    /// From so many vanished folders on their records are freed, if they are also more than the watched ones.
    private static let mostForgotten = 1024

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
        self.clock = clock
        self.spacing = spacing
        self.pace = pace
        self.retryAfter = retryAfter
        self.isOnNetwork = isOnNetwork
        self.open = open
    }

    /// How the watching stands.
    public var state: WatchState { WatchState(folders: watched.count - above.count, missing: missing, scanned: scanned, trouble: trouble) }

    /// Roots, and folders in them, of which nothing is heard.
    var scanned: [String] {
        let paths = roots.map(\.path)
        guard trouble == nil else { return paths }
        return paths.filter(remote.contains) + remote.subtracting(paths).sorted()
    }

    /// Has `body` called when a root vanished or came back, and when watching became impossible.
    public func hear(state body: @escaping @LoopActor (WatchState) -> Void) { onState = body }

    /// Begins. Fails only where another watcher runs; a limit of the system that stands in the way is told by `state`.
    public func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        stop()
        self.handler = handler
        isListing = true
        begin()
        isListing = false
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
        endScans()
        trouble = nil
    }

    public func takeListing(of root: String) async -> FileListing? {
        guard let names = listings.removeValue(forKey: root) else { return nil }
        let later = spawn { [otherSide] in await otherSide.run { names.listing(below: root, .later) } }
        var listing = await side.run { names.listing(below: root, .earlier) }
        guard let rest = await later.value else { return nil }
        listing?.add(rest)
        return listing
    }

    func tell(_ event: FileEvent) {
        switch event {
        // Told file by file, so that a listing and the events after it make a whole.
        case .written, .removed: break
        case .folderRemoved, .rescan: listings = [:]
        }
        handler?(event)
    }

    // MARK: Beginning

    private func begin() {
        end()
        begunAt = clock.now
        do throws(WatchTrouble) {
            let inotify = try open()
            self.inotify = inotify
            do throws(SystemError) {
                descriptor = try Loop.shared.watch(inotify.descriptor, for: .read) { [weak self] _ in self?.drain() }
            } catch {
                throw .system(error)
            }
            for root in roots where !isRemote(root) { try establish(root) }
            trouble = nil
            scanSlowly()
        } catch {
            giveUp(error)
        }
    }

    private func end() {
        if let timer { clock.cancel(timer) }
        timer = nil
        if let retry { clock.cancel(retry) }
        retry = nil
        listings = [:]
        if let descriptor { Loop.shared.cancel(descriptor) }
        descriptor = nil
        inotify?.close()
        inotify = nil
        watched = [:]
        above = []
        identities = [:]
        missing = []
        mustBeginAnew = false
        forgotten = 0
    }

    /// Lets go of every watch: some folders seen and others not would pass for all seen, and other programs need theirs.
    func giveUp(_ trouble: WatchTrouble) {
        end()
        self.trouble = trouble
        scanSlowly()
        retry = clock.schedule(at: clock.now + retryAfter) { [weak self] in self?.beginAnew() }
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
        guard let inotify else { return }
        let before = state
        for _ in 0..<Self.mostAtOnce {
            guard let event = inotify.next() else { return endOfNews(since: before) }
            take(event)
            guard self.inotify === inotify else {
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
        guard inotify != nil else { return }
        for root in roots where !remote.contains(root.path) && FolderIdentity(root.path) != identities[root.path] { mustBeginAnew = true }
        endOfNews(since: state)
    }

    private func endOfNews(since before: WatchState) {
        if forgotten > max(Self.mostForgotten, watched.count) { mustBeginAnew = true }
        guard mustBeginAnew, timer == nil, let begunAt else { return }
        guard clock.now < begunAt + spacing else { return beginAnew() }
        timer = clock.schedule(at: begunAt + spacing) { [weak self] in
            self?.timer = nil
            self?.beginAnew()
        }
    }
}
