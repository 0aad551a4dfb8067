package import Platform

/// A clock that advances only when a test moves it.
@LoopActor
package final class HandClock: TimeKeeper {
    package private(set) var now = Moment(nanoseconds: 1_000_000_000)
    /// Tests may set this time. It does not advance with `now`.
    package var wallTime = Duration.seconds(1_700_000_000)
    private var timers: [(id: TimerID, deadline: Moment, action: @LoopActor () -> Void)] = []
    private var nextNumber: UInt64 = 1
    private var waiter: CheckedContinuation<Void, Never>?

    package init() {}

    package func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        let id = TimerID(number: nextNumber)
        nextNumber += 1
        timers.append((id, deadline, action))
        waiter?.resume()
        waiter = nil
        return id
    }

    package func cancel(_ timer: TimerID) { timers.removeAll { $0.id == timer } }

    package var hasTimers: Bool { !timers.isEmpty }
    package var timerCount: Int { timers.count }

    /// Returns as soon as at least one timer is set, which may already be so.
    package func untilTimer() async {
        await withCheckedContinuation { continuation in
            if timers.isEmpty { waiter = continuation } else { continuation.resume() }
        }
    }

    package func advance(by duration: Duration) {
        now = now + duration
        let due = timers.filter { $0.deadline <= now }
        timers.removeAll { $0.deadline <= now }
        for timer in due { timer.action() }
    }
}
