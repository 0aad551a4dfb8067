public import Model

/// Time, for everything that waits or needs dates; tests put a simulated one in its place.
@LoopActor
public protocol TimeKeeper: AnyObject, Sendable {
    /// The present moment, for deadlines.
    var now: Moment { get }

    /// The time of day as the time since 1970 in UTC; it may jump.
    var wallTime: Duration { get }

    /// Calls `action` once on the loop when `deadline` has come, even if that was while the machine slept.
    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID

    /// Cancels a timer; it is no error if it has fired already.
    func cancel(_ timer: TimerID)
}

/// Identifies one scheduled action.
public struct TimerID: Hashable, Comparable, Sendable {
    let number: UInt64

    /// Made by a `TimeKeeper`, which numbers its timers in the order in which it makes them.
    public init(number: UInt64) {
        self.number = number
    }

    public static func < (left: TimerID, right: TimerID) -> Bool { left.number < right.number }
}

extension TimeKeeper {
    /// The time of day.
    public var timestamp: Timestamp { Timestamp(sinceEpoch: wallTime) }

    /// Waits until `deadline`; a cancelled task is woken at once.
    public func sleep(until deadline: Moment) async throws(CancellationError) {
        let waiter = Waiter()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                waiter.continuation = continuation
                waiter.timer = schedule(at: deadline) { waiter.wake() }
            }
        } onCancel: {
            spawn { [self] in
                if let timer = waiter.timer { cancel(timer) }
                waiter.wake()
            }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Waits for `duration`; a cancelled task is woken at once.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: now + duration)
    }
}

/// One sleeper: woken once, by its timer or by its cancellation.
@LoopActor
private final class Waiter {
    var continuation: CheckedContinuation<Void, Never>?
    var timer: TimerID?

    func wake() {
        continuation?.resume()
        continuation = nil
    }
}
