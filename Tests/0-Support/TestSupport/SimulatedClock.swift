public import Platform

/// A clock that stands still until nothing is left to do, and then goes straight to the next deadline.
///
/// A test that sleeps for an hour on it takes no time. It moves only between `run` and its end.
@LoopActor
public final class SimulatedClock: TimeKeeper {
    private struct Entry {
        let deadline: Moment
        let id: TimerID
        let action: @LoopActor () -> Void
    }

    public private(set) var now = Moment(nanoseconds: 0)
    /// The time of day at `now` zero; a test may let it jump.
    public var wallTimeAtStart: Duration
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    /// Begins at a time of day, by default 2026-11-21T09:00:00Z.
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

    /// Runs `body`, moving time on whenever the loop has nothing else to do.
    public func run<Result: Sendable>(_ body: @LoopActor () async throws -> Result) async rethrows -> Result {
        let handler = Loop.shared.whenQuiet { [self] in fireNext() }
        defer { Loop.shared.removeQuietHandler(handler) }
        return try await body()
    }

    /// Lets time pass at once, as on a machine that sleeps: timers that became due meanwhile fire late.
    public func skip(_ duration: Duration) { now = now + duration }

    private func fireNext() -> Bool {
        guard !entries.isEmpty else { return false }
        let next = entries.removeFirst()
        now = max(now, next.deadline)
        next.action()
        return true
    }
}
