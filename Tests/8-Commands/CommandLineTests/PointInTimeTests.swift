import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct PointInTimeTests {
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test(arguments: [
        ("2d", "2026-11-19T10:00:00Z"), ("90 min", "2026-11-21T08:30:00Z"),
        ("2026-11-01T06:00:00+02:00", "2026-11-01T04:00:00Z"),
    ])
    func momentIsReadAsPeopleWriteIt(text: String, expected: String) throws {
        #expect(try PointInTime.parse(text, now: Self.time("2026-11-21T10:00:00Z")) == Self.time(expected))
    }

    @Test func aDayBeginsAtMidnightHere() throws {
        let time = try PointInTime.parse("2026-11-01", now: Self.time("2026-11-21T10:00:00Z"))
        #expect(TimeText.date(time) == "2026-11-01" && TimeText.clock(time) == "00:00")
        #expect(TimeText.date(time + .seconds(-1)) == "2026-10-31")
    }

    @Test(arguments: ["2026-13-01", "2", "", "-2d", "01.11.2026"])
    func whatIsNoMomentIsRefused(text: String) throws {
        let now = try Self.time("2026-11-21T10:00:00Z")
        #expect(throws: Trouble.self) { try PointInTime.parse(text, now: now) }
    }

    @Test func farPastIsNoOverflow() throws {
        #expect(try PointInTime.parse("999999999999 h", now: Self.time("2026-11-21T10:00:00Z")).date < "1930")
    }
}
