import Glibc

/// What clocks show in some place, as the system's time zone files say.
public struct ZoneRules: Sendable {
    /// The clocks' difference to UTC from a moment on, in seconds; earliest first.
    private let changes: [(from: Int64, offset: Int64)]
    private let first: Int64

    /// The rules of a zone by its usual name, like `America/New_York`; `nil` if the system knows no such zone.
    public init?(named name: String) {
        let isName = !name.isEmpty && name.utf8.allSatisfy { Self.letters.contains($0) } && !name.hasPrefix("/") && !name.contains("..")
        let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        guard isName, let bytes = try? AtomicFile.read("\(folder)/\(name)", limit: 1 << 20) else { return nil }
        self.init(file: bytes)
    }

    /// Reads a file of the form that RFC 9636 describes: a part with short times, and one of the same form with long ones.
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

    /// The moment at which clocks there show a wall time. Both are nanoseconds since 1970; a wall time, as if it were one in UTC.
    ///
    /// Files that leave the years to come to a rule of their last line are read without it, which is an hour wrong in half of the year.
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
            // More than any zone has, and too few to overflow.
            guard numbers.allSatisfy({ $0 < 1 << 16 }) else { return nil }
            version = bytes[bytes.startIndex + 4]
            (universals, standards, leaps, times, types, letters) =
                (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        }

        /// Of the whole part, this header with it.
        func size(ofTimes width: Int) -> Int {
            Self.size + times * (width + 1) + types * 6 + letters + leaps * (width + 4) + standards + universals
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
