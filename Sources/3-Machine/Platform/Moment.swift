/// An instant on the clock that keeps counting while the machine sleeps (CLOCK_BOOTTIME), in nanoseconds since boot.
///
/// It is used for deadlines; dates that mean something to a person use wall time instead.
public struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since boot.
    public let nanoseconds: Int64

    /// Makes a moment from nanoseconds since boot.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `duration` after `moment`.
    public static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(nanoseconds: (Duration.nanoseconds(moment.nanoseconds) + duration).wholeNanoseconds)
    }

    /// How long `left` is after `right`.
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
