/// Hours of each day in which nobody wants to be disturbed. They may extend past midnight.
public struct QuietHours: Hashable, Sendable, CustomStringConvertible {
    /// The beginning and, below, the end, in minutes since midnight.
    private let begin: Int
    private let end: Int

    /// Reads a text such as `22:00-08:00`. Fails for any other text, and if both times are equal.
    public init?(_ text: String) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard times.count == 2, let begin = times[0], let end = times[1], begin != end else { return nil }
        (self.begin, self.end) = (begin, end)
    }

    /// How long the quiet hours still last at this second of the day; `nil` outside them.
    public func rest(at second: Int) -> Duration? {
        let day = 86400
        let length = ((end - begin) * 60 + day) % day
        let passed = (second - begin * 60 + day) % day
        return passed < length ? .seconds(length - passed) : nil
    }

    public var description: String { "\(Self.clock(begin))-\(Self.clock(end))" }

    private static func minutes(_ clock: Substring) -> Int? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            clock.allSatisfy({ $0 == ":" || $0.isASCII && $0.isNumber }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    private static func clock(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
