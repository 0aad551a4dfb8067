import Glibc

/// What the clock on the wall says: dates for people, in this machine's time zone.
public enum LocalTime {
    /// The date on which an instant falls here: `2026-11-22`.
    public static func date(nanosecondsSinceEpoch: Int64) -> String {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        // A program that runs for months must notice when the laptop has moved to another zone.
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return "" }
        return "\(padded(civil.tm_year + 1900, 4))-\(padded(civil.tm_mon + 1, 2))-\(padded(civil.tm_mday, 2))"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
