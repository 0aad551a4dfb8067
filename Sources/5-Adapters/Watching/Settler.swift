public import Platform

/// Waits until a file has not changed for a moment, so that a file that is saved in several steps is read once.
///
/// A file that keeps changing is read each time the longest wait (the ceiling) is over.
@LoopActor
public final class Settler {
    private struct Unrest {
        let path: String
        let first: Moment
        var last: Moment
    }

    private let quiet: Duration
    private let ceiling: Duration
    private let clock: any TimeKeeper
    private let settled: @LoopActor ([String]) -> Void
    /// The keys are the bytes of the paths, because two names that differ only in their Unicode form are equal as strings.
    private var unrests: [[UInt8]: Unrest] = [:]
    private let alarm: Alarm
    private let waiters = Waiters()

    /// Calls `settled` with the sorted paths of files that have settled. A file settles `quiet` after its last event or `ceiling`
    /// after its first, whichever is earlier. A `ceiling` below `quiet` counts as `quiet`.
    public init(
        quiet: Duration = .milliseconds(150), ceiling: Duration = .seconds(2), clock: any TimeKeeper,
        _ settled: @escaping @LoopActor ([String]) -> Void
    ) {
        self.quiet = quiet
        self.ceiling = max(quiet, ceiling)
        self.clock = clock
        alarm = Alarm(clock)
        self.settled = settled
    }

    public var isQuiet: Bool { unrests.isEmpty }

    public func quiet() async {
        await waiters.wait { isQuiet }
    }

    public func note(_ path: String) {
        let now = clock.now
        unrests[Array(path.utf8), default: Unrest(path: path, first: now, last: now)].last = now
        // One timer is enough for all files. If it fires too early for a file, it is set anew.
        if !alarm.isSet { schedule() }
    }

    public func stop() {
        alarm.cancel()
        unrests = [:]
        wakeIfQuiet()
    }

    private func wakeIfQuiet() {
        if isQuiet { waiters.wake() }
    }

    private func due(_ unrest: Unrest) -> Moment { min(unrest.last + quiet, unrest.first + ceiling) }

    private func schedule() {
        guard let due = unrests.values.map(due).min() else { return }
        alarm.set(at: due) { [weak self] in self?.fire() }
    }

    private func fire() {
        let now = clock.now
        let rested = unrests.filter { due($0.value) <= now }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (key, _) in rested { unrests[key] = nil }
        schedule()
        if !rested.isEmpty { settled(rested.map(\.value.path)) }
        wakeIfQuiet()
    }
}
