import Glibc
public import Model

/// The time, for all code that waits or needs dates; tests simulate it.
@LoopActor
public protocol TimeKeeper: AnyObject, Sendable {
    /// The present moment, used for deadlines.
    var now: Moment { get }

    /// The time since 1970 in UTC; it may jump.
    var wallTime: Duration { get }

    /// Calls `action` on the loop once `deadline` has passed, even if the machine slept at that moment.
    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID

    /// Cancels a timer; does nothing if the timer has fired already.
    func cancel(_ timer: TimerID)
}

/// Identifies one scheduled action.
public struct TimerID: Hashable, Comparable, Sendable {
    let number: UInt64

    /// Creates an id. Only `TimeKeeper`s do so; they number their timers in order of creation.
    public init(number: UInt64) { self.number = number }

    public static func < (left: TimerID, right: TimerID) -> Bool { left.number < right.number }
}

extension TimeKeeper {
    public var timestamp: Timestamp { Timestamp(sinceEpoch: wallTime) }

    /// Waits until `deadline`; throws immediately if the task is cancelled.
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

    /// Waits for `duration`; throws immediately if the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: now + duration)
    }
}

/// A sleeping task, resumed once: by its timer or by its cancellation.
@LoopActor
private final class Waiter {
    var continuation: CheckedContinuation<Void, Never>?
    var timer: TimerID?

    func wake() {
        continuation?.resume()
        continuation = nil
    }
}

/// At most one timer, which the owner sets, replaces and cancels.
@LoopActor
package final class Alarm {
    private let time: any TimeKeeper
    private var timer: TimerID?

    package nonisolated init(_ time: any TimeKeeper) { self.time = time }

    package var isSet: Bool { timer != nil }

    /// Calls `action` once at that moment; a former action is cancelled.
    package func set(at moment: Moment, _ action: @escaping @LoopActor () -> Void) {
        cancel()
        timer = time.schedule(at: moment) { [self] in
            timer = nil
            action()
        }
    }

    package func set(in duration: Duration, _ action: @escaping @LoopActor () -> Void) { set(at: time.now + duration, action) }

    package func cancel() {
        if let timer { time.cancel(timer) }
        timer = nil
    }
}

/// The real time, with timers on the loop.
public final class SystemClock: TimeKeeper {
    public nonisolated init() {}

    public var now: Moment { Self.bootTime() }

    public var wallTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    public func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        Loop.shared.timers.schedule(at: deadline, action)
    }

    public func cancel(_ timer: TimerID) {
        Loop.shared.timers.cancel(timer)
    }

    nonisolated static func bootTime() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// An instant on the clock that continues while the machine sleeps (CLOCK_BOOTTIME), in nanoseconds since boot.
///
/// For deadlines. Dates for people use wall time.
public struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since boot.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(nanoseconds: (Duration.nanoseconds(moment.nanoseconds) + duration).wholeNanoseconds)
    }

    public static func - (left: Moment, right: Moment) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of Int64 (292 years).
    public var wholeNanoseconds: Int64 {
        // For more seconds than an Int64 holds, `components` would crash.
        guard self > .nanoseconds(Int64.min), self < .nanoseconds(Int64.max) else { return self < .zero ? .min : .max }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in seconds, for people and statistics.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
