import FoundationEssentials

/// A time as the service stores it: whole seconds, UTC.
package struct Stamp: Hashable, Comparable, Sendable {
    let seconds: Int

    static let day = 86_400

    /// Midnight at the start of the day, in UTC.
    var startOfDay: Stamp { Stamp(seconds: seconds - Self.modulo(seconds, Self.day)) }

    /// From 0 for Sunday to 6 for Saturday. 1 January 1970 was a Thursday.
    var weekday: Int { Self.modulo((seconds - Self.modulo(seconds, Self.day)) / Self.day + 4, 7) }

    package var text: String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }

    /// For example "November 22, 2026".
    var longDate: String { "\(monthName) \(civil.day), \(civil.year)" }

    /// For example "Nov 22".
    var shortDate: String { "\(monthName.prefix(3)) \(civil.day)" }

    init(seconds: Int) { self.seconds = seconds }

    /// Reads ISO 8601 with `Z` or an offset; `nil` for anything else, and for times before 1970.
    package init?(_ text: String) {
        // Only years of up to four digits: later than any plan, and safe to calculate with.
        guard let date = try? Date(text, strategy: .iso8601), let seconds = Int(exactly: date.timeIntervalSince1970.rounded()),
            (0..<253_402_300_800).contains(seconds)
        else { return nil }
        self.seconds = seconds
    }

    package static func < (left: Stamp, right: Stamp) -> Bool { left.seconds < right.seconds }
    static func + (stamp: Stamp, seconds: Int) -> Stamp { Stamp(seconds: stamp.seconds + seconds) }

    private var monthName: String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
        ]
        return names[civil.month - 1]
    }

    private var civil: (year: Int, month: Int, day: Int) {
        let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        return (parts[0], parts[1], parts[2])
    }

    private static func modulo(_ a: Int, _ b: Int) -> Int { ((a % b) + b) % b }
}
