public import Platform

/// A clock that stands still until the loop has nothing else to do, and then jumps to the next deadline.
///
/// A test that sleeps for an hour on this clock takes no real time. The clock advances only during `run`.
@LoopActor
public final class SimulatedClock: TimeKeeper {
    private struct Entry {
        let deadline: Moment
        let id: TimerID
        let action: @LoopActor () -> Void
    }

    public private(set) var now = Moment(nanoseconds: 0)
    /// The time of day when `now` was zero. A test may change it.
    public var wallTimeAtStart: Duration
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    /// Starts at a time of day, by default 2026-11-21T09:00:00Z.
    public nonisolated init(wallTime: Duration = .seconds(1_795_251_600)) {
        wallTimeAtStart = wallTime
    }

    public var wallTime: Duration { wallTimeAtStart + .nanoseconds(now.nanoseconds) }

    public func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        nextNumber += 1
        let entry = Entry(deadline: deadline, id: TimerID(number: nextNumber), action: action)
        entries.insert(entry, at: entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex)
        return entry.id
    }

    public func cancel(_ timer: TimerID) {
        entries.removeAll { $0.id == timer }
    }

    /// Runs `body`, and advances the time whenever the loop has nothing else to do.
    public func run<Result: Sendable>(_ body: @LoopActor () async throws -> Result) async rethrows -> Result {
        let handler = Loop.shared.whenQuiet { [self] in fireNext() }
        defer { Loop.shared.removeQuietHandler(handler) }
        return try await body()
    }

    /// Advances the time in one step, as on a machine that was asleep. Timers that became due during the step fire late.
    public func skip(_ duration: Duration) { now = now + duration }

    private func fireNext() -> Bool {
        guard !entries.isEmpty else { return false }
        let next = entries.removeFirst()
        now = max(now, next.deadline)
        next.action()
        return true
    }
}
