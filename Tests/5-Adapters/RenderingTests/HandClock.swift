import Platform

/// A clock that stands still until the test advances it.
final class HandClock: TimeKeeper {
    private(set) var now = Moment(nanoseconds: 0)
    let wallTime = Duration.zero
    private var timers: [(id: TimerID, deadline: Moment, action: @LoopActor () -> Void)] = []
    private var lastNumber: UInt64 = 0

    nonisolated init() {}

    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        lastNumber += 1
        timers.append((TimerID(number: lastNumber), deadline, action))
        return TimerID(number: lastNumber)
    }

    func cancel(_ timer: TimerID) {
        timers.removeAll { $0.id == timer }
    }

    /// The time of the next timer.
    var nextDeadline: Moment? { timers.map(\.deadline).min() }

    /// Advances the clock, and fires the timers that are due by then.
    func advance(by duration: Duration) {
        now = now + duration
        while let place = timers.firstIndex(where: { $0.deadline <= now }) { timers.remove(at: place).action() }
    }
}
