import Glibc
public import Model

/// Local times and dates, in this machine's time zone.
public enum LocalTime {
    /// The local date of an instant: `2026-11-22`.
    public static func date(nanosecondsSinceEpoch: Int64) -> String {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        // Read the system's time zone again: while the program runs for months, the laptop may move to another zone.
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return "" }
        return "\(padded(civil.tm_year + 1900, 4))-\(padded(civil.tm_mon + 1, 2))-\(padded(civil.tm_mday, 2))"
    }

    /// An instant to the minute, for a sentence: `Sun 22 Nov 10:30 CET`.
    public static func minute(nanosecondsSinceEpoch: Int64) -> String {
        text(nanosecondsSinceEpoch, "%a %e %b %H:%M %Z")
    }

    /// The day of an instant, for a sentence: `Sun 22 Nov`.
    public static func day(nanosecondsSinceEpoch: Int64) -> String { text(nanosecondsSinceEpoch, "%a %e %b") }

    /// The time of day alone: `10:30`.
    public static func clock(nanosecondsSinceEpoch: Int64) -> String { text(nanosecondsSinceEpoch, "%H:%M") }

    /// The local time of day in seconds since midnight.
    public static func secondOfDay(nanosecondsSinceEpoch: Int64) -> Int {
        var seconds = time_t((Double(nanosecondsSinceEpoch) / 1e9).rounded(.down))
        var civil = tm()
        tzset()
        guard localtime_r(&seconds, &civil) != nil else { return 0 }
        return Int(civil.tm_hour * 3600 + civil.tm_min * 60 + civil.tm_sec)
    }

    /// Date and time to the second, as in a log: `2026-11-22 10:30:05`.
    public static func second(nanosecondsSinceEpoch: Int64) -> String { text(nanosecondsSinceEpoch, "%Y-%m-%d %H:%M:%S") }

    /// The beginning of a local day such as `2026-11-22`, in seconds since 1970; `nil` if `text` is not a valid day.
    public static func start(ofDay text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2]),
            parts[1].count == 2, parts[2].count == 2
        else { return nil }
        var civil = tm()
        (civil.tm_year, civil.tm_mon, civil.tm_mday, civil.tm_isdst) = (year - 1900, month - 1, day, -1)
        tzset()
        let seconds = mktime(&civil)
        // `mktime` would turn a 30th of February into another day.
        guard seconds != -1, civil.tm_mon == month - 1, civil.tm_mday == day else { return nil }
        return Int(seconds)
    }

    /// The instant at which local clocks show a wall time. A wall time is given as the nanoseconds since 1970 that it would be in UTC.
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
        // No locale is ever set, so `strftime` uses English names.
        let count = strftime(&text, text.count, format, &civil)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// The differences between a zone's wall time and UTC, from the system's time zone files.
public struct ZoneRules: Sendable {
    /// The difference to UTC in seconds, `offset`, that applies from the moment `from` on; in order of time.
    private let changes: [(from: Int64, offset: Int64)]
    private let first: Int64

    /// The rules of a zone with a name such as `America/New_York`; `nil` if the system has no such zone.
    public init?(named name: String) {
        let isName = !name.isEmpty && name.utf8.allSatisfy { Self.letters.contains($0) } && !name.hasPrefix("/") && !name.contains("..")
        let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        guard isName, let bytes = try? AtomicFile.read("\(folder)/\(name)", limit: 1 << 20) else { return nil }
        self.init(file: bytes)
    }

    /// Reads a file as described by RFC 9636: a part with 32-bit times, then the same with 64-bit times.
    init?(file: [UInt8]) {
        guard let short = Header(file[...]), short.version >= UInt8(ascii: "2"),
            let long = Header(file.dropFirst(short.size(ofTimes: 4)))
        else { return nil }
        let body = Array(file.dropFirst(short.size(ofTimes: 4) + Header.size))
        guard body.count >= long.size(ofTimes: 8) - Header.size, long.types > 0 else { return nil }
        let (indices, types) = (long.times * 8, long.times * 9)
        let offsets = (0..<long.types).map { Int64(Int32(truncatingIfNeeded: Header.number(body[(types + $0 * 6)...].prefix(4)))) }
        var changes: [(from: Int64, offset: Int64)] = []
        for change in 0..<long.times {
            let type = Int(body[indices + change])
            guard type < offsets.count else { return nil }
            changes.append((Header.number(body[(change * 8)...].prefix(8)), offsets[type]))
        }
        self.changes = changes
        first = offsets[0]
    }

    /// The instant at which clocks in the zone show a wall time, given as the nanoseconds since 1970 that it would be in UTC.
    ///
    /// A file's rule for future years is ignored, so times that depend on one are an hour wrong for half of each year.
    public func nanoseconds(ofWallTime wall: Int64) -> Int64 {
        let seconds = wall / 1_000_000_000
        let near = offset(at: seconds - offset(at: seconds))
        let (moment, overflow) = wall.subtractingReportingOverflow(near * 1_000_000_000)
        return overflow ? wall : moment
    }

    private func offset(at moment: Int64) -> Int64 { changes.last { $0.from <= moment }?.offset ?? first }

    private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/".utf8)

    private struct Header {
        static let size = 44
        let version: UInt8
        let times, types, leaps, letters, standards, universals: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.size, bytes.starts(with: Array("TZif".utf8)) else { return nil }
            let numbers = (0..<6).map { Int(Self.number(bytes.dropFirst(20 + $0 * 4).prefix(4))) }
            // This limit is higher than any real zone needs, and low enough that the size of the part cannot overflow.
            guard numbers.allSatisfy({ $0 < 1 << 16 }) else { return nil }
            version = bytes[bytes.startIndex + 4]
            (universals, standards, leaps, times, types, letters) =
                (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        }

        /// The size of the part, including this header.
        func size(ofTimes width: Int) -> Int {
            Self.size + times * (width + 1) + types * 6 + letters + leaps * (width + 4) + standards + universals
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}

extension TimeWords {
    /// Times in this machine's time zone: use it for everything that a person reads.
    public static let local = TimeWords(day: day, minute: { "\(day($0)) \(LocalTime.clock(nanosecondsSinceEpoch: $0.nanoseconds))" })

    @Sendable private static func day(_ time: Timestamp) -> String { LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds) }
}

extension LibraryChange {
    /// The change in plain words, with times in this machine's time zone.
    public var localSentence: String { sentence(in: .local) }
}
