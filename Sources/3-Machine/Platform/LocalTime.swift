import Glibc

/// Local time: dates for people, in this machine's time zone.
public enum LocalTime {
    /// The date of an instant in this time zone: `2026-11-22`.
    public static func date(nanosecondsSinceEpoch: Int64) -> String {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        // A program that runs for months must notice when the laptop has moved to another zone.
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return "" }
        return "\(padded(civil.tm_year + 1900, 4))-\(padded(civil.tm_mon + 1, 2))-\(padded(civil.tm_mday, 2))"
    }

    /// The same instant to the minute, for a sentence: `Sun 22 Nov 10:30 CET`.
    public static func minute(nanosecondsSinceEpoch: Int64) -> String {
        text(nanosecondsSinceEpoch, "%a %e %b %H:%M %Z")
    }

    /// The time of day alone: `10:30`.
    public static func clock(nanosecondsSinceEpoch: Int64) -> String { text(nanosecondsSinceEpoch, "%H:%M") }

    /// How many seconds the clock shows since midnight.
    public static func secondOfDay(nanosecondsSinceEpoch: Int64) -> Int {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return 0 }
        return Int(civil.tm_hour * 3600 + civil.tm_min * 60 + civil.tm_sec)
    }

    /// Date and time to the second, as in a log: `2026-11-22 10:30:05`.
    public static func second(nanosecondsSinceEpoch: Int64) -> String { text(nanosecondsSinceEpoch, "%Y-%m-%d %H:%M:%S") }

    /// When a day begins here, in seconds since 1970; `nil` if `text` is not a day. A day is written as `2026-11-22`.
    public static func start(ofDay text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2]),
            parts[1].count == 2, parts[2].count == 2
        else { return nil }
        var civil = tm()
        (civil.tm_year, civil.tm_mon, civil.tm_mday, civil.tm_isdst) = (year - 1900, month - 1, day, -1)
        tzset()
        let seconds = mktime(&civil)
        // The 30th of February, for one, would become another day.
        guard seconds != -1, civil.tm_mon == month - 1, civil.tm_mday == day else { return nil }
        return Int(seconds)
    }

    /// The moment at which clocks here show a wall time. Wall times, like moments, are nanoseconds since 1970: as if it were one in UTC.
    public static func nanoseconds(ofWallTime wall: Int64) -> Int64 {
        var seconds = time_t((Double(wall) / 1e9).rounded(.down))
        var civil = tm()
        guard gmtime_r(&seconds, &civil) != nil else { return wall }
        civil.tm_isdst = -1
        tzset()
        let (moment, overflow) = Int64(mktime(&civil)).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? wall : moment
    }

    private static func text(_ nanosecondsSinceEpoch: Int64, _ format: String) -> String {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return "" }
        var text = [CChar](repeating: 0, count: 64)
        // No locale is ever set, so these are the English names.
        let count = strftime(&text, text.count, format, &civil)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
