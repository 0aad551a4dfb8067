import Platform

/// Decides when watching starts over: when it has to, but not twice within a short time, and only much later if a limit was the reason.
@LoopActor
final class WatchRenewal {
    private let clock: any TimeKeeper
    /// However much is moved about, watching starts over at most once in this time.
    private let spacing: Duration
    /// How long after a limit was reached watching is tried again: the limit may have been raised.
    private let retryAfter: Duration
    /// Set when names may have been missed or the library would report outdated ones: only starting over helps.
    private(set) var isNeeded = false
    private var begunAt: Moment?
    private let alarm: Alarm

    init(clock: any TimeKeeper, spacing: Duration, retryAfter: Duration) {
        (self.clock, self.spacing, self.retryAfter, alarm) = (clock, spacing, retryAfter, Alarm(clock))
    }

    /// Makes watching start over once the present events are handled.
    func need() { isNeeded = true }

    func noteBeginning() { begunAt = clock.now }

    /// Calls `begin` if it is needed: now, or as soon as it is allowed again.
    func attend(_ begin: @escaping @LoopActor () -> Void) {
        guard isNeeded, !alarm.isSet, let begunAt else { return }
        guard clock.now < begunAt + spacing else { return begin() }
        alarm.set(at: begunAt + spacing, begin)
    }

    /// Calls `begin` when the obstacle may be gone.
    func retry(_ begin: @escaping @LoopActor () -> Void) { alarm.set(in: retryAfter, begin) }

    func clear() {
        alarm.cancel()
        isNeeded = false
    }
}

/// The folders on a network, where other machines' changes go unnoticed, and the slow pace at which they are checked instead.
@LoopActor
final class SlowScans {
    private let alarm: Alarm
    private let pace: Duration
    private let mounts: () -> Mounts
    private var seen: Mounts
    /// The folders on a network that are mounted in the roots.
    private var shares: Set<String> = []
    /// Roots, and folders in them. Once here, they stay, since a share may come and go.
    private(set) var remote: Set<String> = []

    init(clock: any TimeKeeper, pace: Duration, mounts: @escaping () -> Mounts) {
        (alarm, self.pace, self.mounts) = (Alarm(clock), pace, mounts)
        seen = Mounts(reading: "")
    }

    /// Looks at what is mounted in these roots. Returns whether the network mounts have changed.
    func readMounts(in roots: [String]) -> Bool {
        seen = mounts()
        let former = shares
        shares = roots.reduce(into: []) { $0.formUnion(seen.networkFolders(in: $1)) }
        return shares != former
    }

    /// Returns whether a root is on a network, where changes by others go unnoticed.
    func isRemote(_ root: String) -> Bool { notes(root) { seen.isOnNetwork(root) } }

    /// Returns whether a folder within a local root is on a network. It must not be opened to find that out.
    func isShare(_ folder: String) -> Bool { notes(folder) { shares.contains(folder) } }

    private func notes(_ folder: String, _ isOnNetwork: () -> Bool) -> Bool {
        guard !remote.contains(folder) else { return true }
        guard isOnNetwork() else { return false }
        remote.insert(folder)
        return true
    }

    /// Calls `scan` once, after the pause. The pace does not change, however often watching starts over.
    func schedule(_ scan: @escaping @LoopActor () -> Void) {
        if !alarm.isSet { alarm.set(in: pace, scan) }
    }

    func end() {
        alarm.cancel()
        remote = []
    }
}
