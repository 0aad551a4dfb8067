/// A time in UTC, from the year 1677 to 2262.
///
/// Clocks and services may give any time. Times outside this range become its nearest end, and so do the results of calculations.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public init(sinceEpoch duration: Duration) {
        guard duration > .nanoseconds(Int64.min), duration < .nanoseconds(Int64.max) else {
            nanoseconds = duration < .zero ? .min : .max
            return
        }
        let (seconds, attoseconds) = duration.components
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time `duration` after `time`.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(sinceEpoch: .nanoseconds(time.nanoseconds) + duration)
    }

    /// The time `duration` before `time`.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(sinceEpoch: .nanoseconds(time.nanoseconds) - duration)
    }

    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }
}

extension Timestamp: LosslessStringConvertible, Codable {
    private static let day: Int64 = 86_400

    /// Reads RFC 3339: a date, a time with an optional fraction, and `Z` or an offset. Fails for any other text, and outside 1700 to 2200.
    public init?(_ text: String) {
        var rest = Substring(text)
        guard let year = Self.number(&rest, digits: 4), Self.skip("-", &rest),
            let month = Self.number(&rest, digits: 2), (1...12).contains(month), Self.skip("-", &rest),
            let dayOfMonth = Self.number(&rest, digits: 2), (1...31).contains(dayOfMonth),
            Self.skip("T", &rest) || Self.skip("t", &rest) || Self.skip(" ", &rest),
            let hour = Self.number(&rest, digits: 2), hour < 24, Self.skip(":", &rest),
            let minute = Self.number(&rest, digits: 2), minute < 60, Self.skip(":", &rest),
            // A leap second counts as the first second of the next minute.
            let second = Self.number(&rest, digits: 2), second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if Self.skip(".", &rest) {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            fraction = Int64(String((digits + "000000000").prefix(9))) ?? 0
        }
        guard let offset = Self.offset(&rest), rest.isEmpty else { return nil }
        // Only the years 1678 to 2261 fit completely into 64 bits of nanoseconds. Narrower limits leave room for calculations.
        guard (1700...2200).contains(year) else { return nil }
        let days = Self.days(year: year, month: month, day: dayOfMonth)
        let seconds = days * Self.day + hour * 3600 + minute * 60 + second - offset
        nanoseconds = seconds * 1_000_000_000 + fraction
    }

    /// RFC 3339 in UTC, with a fraction only if it is not zero.
    public var description: String {
        let (date, time) = civil
        let remainder = nanoseconds % 1_000_000_000
        let fraction = remainder < 0 ? remainder + 1_000_000_000 : remainder
        var tail = ""
        if fraction != 0 {
            tail = "." + Self.padded(fraction, 9)
            while tail.hasSuffix("0") { tail.removeLast() }
        }
        return "\(date)T\(time)\(tail)Z"
    }

    /// RFC 3339 in UTC, rounded down to the second: `2026-11-22T09:30:00Z`.
    public var wholeSecond: String { "\(civil.date)T\(civil.time)Z" }

    /// The date alone, in UTC: `2026-11-22`.
    public var date: String { civil.date }

    private var civil: (date: String, time: String) {
        let seconds = Self.floorDivide(nanoseconds, 1_000_000_000)
        let days = Self.floorDivide(seconds, Self.day)
        let rest = seconds - days * Self.day
        // This is Howard Hinnant's civil_from_days, in which years begin in March and eras have 400 years.
        let shifted = days + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (
            "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))",
            "\(Self.padded(rest / 3600, 2)):\(Self.padded(rest / 60 % 60, 2)):\(Self.padded(rest % 60, 2))"
        )
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = Timestamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time")
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func offset(_ rest: inout Substring) -> Int64? {
        if skip("Z", &rest) || skip("z", &rest) { return 0 }
        let sign: Int64 = skip("+", &rest) ? 1 : skip("-", &rest) ? -1 : 0
        guard sign != 0, let hours = number(&rest, digits: 2), hours < 24, skip(":", &rest),
            let minutes = number(&rest, digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func number(_ rest: inout Substring, digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        rest = rest.dropFirst(digits)
        return Int64(text)
    }

    private static func skip(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        a / b - (a % b < 0 ? 1 : 0)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// Writes times in sentences for people, who want local time. Plain values do not know the time zone.
public struct TimeWords: Sendable {
    /// The day on which a time falls, as in `2026-11-22`.
    public let day: @Sendable (Timestamp) -> String
    /// The day and the time of day, as in `2026-11-22 09:30`.
    public let minute: @Sendable (Timestamp) -> String

    public init(day: @escaping @Sendable (Timestamp) -> String, minute: @escaping @Sendable (Timestamp) -> String) {
        (self.day, self.minute) = (day, minute)
    }

    /// Times in UTC, which are the same on every machine. They are not meant for people.
    public static let utc = TimeWords(
        day: \.date, minute: { "\($0.date) \($0.description.dropFirst($0.date.count + 1).prefix(5)) UTC" })
}
