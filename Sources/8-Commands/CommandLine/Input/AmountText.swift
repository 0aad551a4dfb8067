package import Model
import Platform

/// Amounts of disk space as people write them: a size, or a share as in `5%`.
enum DiskAmountText {
    /// Reads a size or a share. A share above 90% is rejected as a mistake.
    static func parse(_ text: String) throws(Trouble) -> DiskAmount {
        guard text.hasSuffix("%") else { return .bytes(try SizeText.parse(text)) }
        var digits = text.dropLast()
        while digits.hasSuffix(" ") { digits.removeLast() }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let percent = Int(digits) else {
            throw Trouble("'\(text.printable)' is not a share; write a whole number, as in '5%'")
        }
        guard (0...90).contains(percent) else { throw Trouble("'\(text.printable)' is out of range: 0% to 90%") }
        return .percent(percent)
    }

    static func text(of amount: DiskAmount) -> String {
        switch amount {
        case .bytes(let size): SizeText.text(of: size)
        case .percent(let percent): "\(percent)%"
        }
    }
}

/// Durations as people write them: `28 days`, `5 min`, `2h`, `90s`.
package enum DurationText {
    private static let units: [(names: [String], seconds: Int64)] = [
        (["s", "sec", "second", "seconds"], 1),
        (["m", "min", "minute", "minutes"], 60),
        (["h", "hour", "hours"], 3600),
        (["d", "day", "days"], 86400),
        (["w", "week", "weeks"], 7 * 86400),
    ]

    /// Reads a whole number and a unit, with or without a space between them.
    package static func parse(_ text: String) throws(Trouble) -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int64(digits) else {
            throw Trouble("'\(text.printable)' is not a duration; write a number and a unit, as in '28 days' or '90 s'")
        }
        guard !unit.isEmpty else { throw Trouble("'\(text.printable)' has no unit; write '\(digits) s', 'min', 'h' or 'days'") }
        guard let seconds = units.first(where: { $0.names.contains(String(unit)) })?.seconds else {
            let hint = Suggestion.text(for: String(unit), among: units.flatMap(\.names))
            throw Trouble("'\(String(unit).printable)' is not a unit of time\(hint)")
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: seconds)
        guard !overflow else { throw Trouble("'\(text.printable)' is too long") }
        return .seconds(product)
    }

    /// Writes a duration in the largest of days, hours, minutes and seconds that represents it exactly. Drops fractions of a second.
    package static func text(of duration: Duration) -> String {
        let seconds = duration.components.seconds
        if seconds != 0, seconds % 86400 == 0 { return seconds == 86400 ? "1 day" : "\(seconds / 86400) days" }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60) min" }
        return "\(seconds) s"
    }
}

/// Sizes as people write them: `4 GB`, `64MB`, `512 MiB`.
enum SizeText {
    private static let decimal = [("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)]
    private static let binary = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
    private static let units = [("B", 1)] + decimal + binary

    /// Reads a whole number and a unit, with or without a space between them. Ignores the unit's case.
    static func parse(_ text: String) throws(Trouble) -> ByteCount {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int(digits), !unit.hasPrefix("."), !unit.hasPrefix(",") else {
            throw Trouble("'\(text.printable)' is not a size; write a whole number and a unit, as in '4 GB' or '500 MB'")
        }
        guard !unit.isEmpty else { throw Trouble("'\(text.printable)' has no unit; write '\(digits) MB' or '\(digits) GB'") }
        guard let bytes = units.first(where: { $0.0.lowercased() == unit.lowercased() })?.1 else {
            if unit == "%" { throw Trouble("'\(text.printable)' is a share; a size is expected here, as in '4 GB'") }
            // "G" means GB to some programs and GiB to others, a difference of 7%, so no unit is guessed.
            let meant = decimal.first { $0.0.dropLast().lowercased() == unit.lowercased() }
            let hint = meant.map { "; write '\($0.0)'" } ?? Suggestion.text(for: String(unit), among: units.map(\.0))
            throw Trouble("'\(String(unit).printable)' is not a unit of size\(hint)")
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: bytes)
        guard !overflow else { throw Trouble("'\(text.printable)' is too large") }
        return ByteCount(product)
    }

    /// Writes a size in the largest decimal unit that represents it exactly, else in the largest such binary unit, else in bytes.
    static func text(of size: ByteCount) -> String {
        let exact = (binary + decimal).last { size.bytes != 0 && size.bytes % $0.1 == 0 }
        return exact.map { "\(size.bytes / $0.1) \($0.0)" } ?? "\(size.bytes) B"
    }
}

/// Parses a time: `today`, `yesterday`, an age such as `2d`, a date, or a date and a time. Dates may be in the future.
package enum PointInTime {
    package static func parse(_ text: String, now: Timestamp) throws(Trouble) -> Timestamp {
        if let time = Timestamp(text) { return time }
        let today = start(ofDay: TimeText.date(now))
        if text == "today", let today { return today }
        // One hour before today's midnight is always yesterday, even if yesterday had 23 or 25 hours.
        if text == "yesterday", let today, let yesterday = start(ofDay: TimeText.date(today - .seconds(3600))) { return yesterday }
        if Timestamp(text + "T00:00:00Z") != nil, let day = start(ofDay: text) { return day }
        do {
            let duration = try DurationText.parse(text)
            return now - min(duration, longest)
        } catch {
            throw Trouble(
                "'\(text.printable)' is not a time; write 'today', 'yesterday', how long ago, as in '2d', or a date, as in '2026-11-01'")
        }
    }

    /// The midnight at which `day` begins, in local time, since `woodshed log` prints local times, too.
    private static func start(ofDay day: String) -> Timestamp? {
        LocalTime.start(ofDay: day).map { Timestamp(nanoseconds: Int64($0) * 1_000_000_000) }
    }

    /// A hundred years. Longer ages are reduced to this, since some would reach before the earliest time that a timestamp can hold.
    private static let longest = Duration.seconds(100 * 365 * 86400)
}
