import Platform

/// Decides when watching starts over: when necessary, but not twice within a short time, and much later after a limit was reached.
@LoopActor
final class WatchRenewal {
    private let clock: any TimeKeeper
    /// Watching starts over at most once in this time, no matter how many folders are moved.
    private let spacing: Duration
    /// The time after which watching is tried again when it has failed, for example at a limit that may be raised in the meantime.
    private let retryAfter: Duration
    /// Set when names may have been missed, or when the library would report outdated names. Only starting over helps then.
    private(set) var isNeeded = false
    private var begunAt: Moment?
    private let alarm: Alarm

    init(clock: any TimeKeeper, spacing: Duration, retryAfter: Duration) {
        (self.clock, self.spacing, self.retryAfter, alarm) = (clock, spacing, retryAfter, Alarm(clock))
    }

    /// Makes watching start over when `beginIfNeeded` is called, after the present events are handled.
    func need() { isNeeded = true }

    func noteBeginning() { begunAt = clock.now }

    /// If starting over is needed, calls `begin` now, or as soon as `spacing` allows.
    func beginIfNeeded(_ begin: @escaping @LoopActor () -> Void) {
        guard isNeeded, !alarm.isSet, let begunAt else { return }
        guard clock.now < begunAt + spacing else { return begin() }
        alarm.set(at: begunAt + spacing, begin)
    }

    /// Calls `begin` after `retryAfter`, when the cause of the failure may be gone.
    func retry(_ begin: @escaping @LoopActor () -> Void) { alarm.set(in: retryAfter, begin) }

    func clear() {
        alarm.cancel()
        isNeeded = false
    }
}

/// The folders on a network, where other machines' changes cause no events. They are scanned at a slow pace instead.
@LoopActor
final class SlowScans {
    private let alarm: Alarm
    private let pace: Duration
    private let mounts: () -> Mounts
    private var seen: Mounts
    /// The network folders that are mounted inside the roots.
    private var shares: Set<String> = []
    /// The roots on a network, and network folders in other roots. They are kept until `end()`, since a share may come and go.
    private(set) var remote: Set<String> = []

    init(clock: any TimeKeeper, pace: Duration, mounts: @escaping () -> Mounts) {
        (alarm, self.pace, self.mounts) = (Alarm(clock), pace, mounts)
        seen = Mounts(reading: "")
    }

    /// Reads the mounts inside these roots. Returns whether the set of network folders has changed.
    func readMounts(in roots: [String]) -> Bool {
        seen = mounts()
        let former = shares
        shares = roots.reduce(into: []) { $0.formUnion(seen.networkFolders(in: $1)) }
        return shares != former
    }

    /// Returns whether a root is or has been on a network, where changes by others cause no events.
    func isRemote(_ root: String) -> Bool { notes(root) { seen.isOnNetwork(root) } }

    /// Returns whether a folder within a local root is or has been on a network. The check must not open the folder.
    func isShare(_ folder: String) -> Bool { notes(folder) { shares.contains(folder) } }

    private func notes(_ folder: String, _ isOnNetwork: () -> Bool) -> Bool {
        guard !remote.contains(folder) else { return true }
        guard isOnNetwork() else { return false }
        remote.insert(folder)
        return true
    }

    /// Calls `scan` once, after `pace`. If a scan is scheduled already, does nothing, so that starting over does not change the pace.
    func schedule(_ scan: @escaping @LoopActor () -> Void) {
        if !alarm.isSet { alarm.set(in: pace, scan) }
    }

    func end() {
        alarm.cancel()
        remote = []
    }
}
