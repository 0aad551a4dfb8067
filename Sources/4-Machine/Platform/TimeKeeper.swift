import Glibc
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
    public init(number: UInt64) { self.number = number }

    public static func < (left: TimerID, right: TimerID) -> Bool { left.number < right.number }
}

extension TimeKeeper {
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

/// At most one timer, which its owner sets, replaces and cancels.
@LoopActor
package final class Alarm {
    private let time: any TimeKeeper
    private var timer: TimerID?

    package nonisolated init(_ time: any TimeKeeper) { self.time = time }

    package var isSet: Bool { timer != nil }

    /// Calls `action` once at that moment, instead of the former one.
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

/// An instant on the clock that keeps counting while the machine sleeps (CLOCK_BOOTTIME), in nanoseconds since boot.
///
/// It is used for deadlines; dates that mean something to a person use wall time instead.
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
    /// This duration in nanoseconds, limited to the range of Int64 (292 years).
    public var wholeNanoseconds: Int64 {
        // Taking the components of a duration with more seconds than an Int64 holds would stop the program.
        guard self > .nanoseconds(Int64.min), self < .nanoseconds(Int64.max) else { return self < .zero ? .min : .max }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// This duration in seconds, for people and statistics.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
