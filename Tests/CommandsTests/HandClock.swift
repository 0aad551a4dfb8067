import Platform

/// A clock that stands still until a test moves it.
@LoopActor
final class HandClock: TimeKeeper {
    private(set) var now = Moment(nanoseconds: 1_000_000_000)
    var wallTime: Duration { .seconds(1_700_000_000) }
    private var timers: [(id: TimerID, deadline: Moment, action: @LoopActor () -> Void)] = []
    private var nextNumber: UInt64 = 1
    private var waiter: CheckedContinuation<Void, Never>?

    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        let id = TimerID(number: nextNumber)
        nextNumber += 1
        timers.append((id, deadline, action))
        waiter?.resume()
        waiter = nil
        return id
    }

    func cancel(_ timer: TimerID) { timers.removeAll { $0.id == timer } }

    var hasTimers: Bool { !timers.isEmpty }

    /// Waits until somebody has set a timer.
    func untilTimer() async {
        await withCheckedContinuation { continuation in
            if timers.isEmpty { waiter = continuation } else { continuation.resume() }
        }
    }

    func advance(by duration: Duration) {
        now = now + duration
        let due = timers.filter { $0.deadline <= now }
        timers.removeAll { $0.deadline <= now }
        for timer in due { timer.action() }
    }
}
