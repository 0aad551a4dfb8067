import Glibc

/// The real time, with timers on the loop.
public final class SystemClock: TimeKeeper {
    /// Makes a clock; all of them show the same time.
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
