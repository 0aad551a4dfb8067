import Model
import Testing

@testable import Platform

struct ZoneRulesTests {
    private static func nanoseconds(_ time: String) throws -> Int64 { try #require(Timestamp(time)).nanoseconds }

    @Test(arguments: [
        ("America/New_York", "2026-11-22T10:00:00Z", "2026-11-22T15:00:00Z"),
        ("America/New_York", "2026-07-05T10:00:00Z", "2026-07-05T14:00:00Z"),
        ("Australia/Sydney", "2026-11-22T10:00:00Z", "2026-11-21T23:00:00Z"),
        ("Europe/Berlin", "1900-01-01T12:00:00Z", "1900-01-01T11:00:00Z"),
        // A time in the hour that the change to summer time skips, and one in the hour that the change back repeats.
        ("Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"),
        ("Europe/Berlin", "2026-10-25T02:30:00Z", "2026-10-25T01:30:00Z"),
        ("UTC", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z"),
    ]) func wallTimesElsewhereAreMoments(zone: String, wall: String, moment: String) throws {
        let rules = try #require(ZoneRules(named: zone))
        #expect(rules.nanoseconds(ofWallTime: try Self.nanoseconds(wall)) == (try Self.nanoseconds(moment)))
    }

    @Test(arguments: ["", "../../etc/passwd", "/etc/localtime", "Eastern Time (US & Canada)", "Nowhere/Land", "tzdata.zi", "America"])
    func whatIsNoZoneHasNoRules(name: String) {
        #expect(ZoneRules(named: name) == nil)
    }

    @Test func cutOffFilesHaveNoRules() throws {
        let bytes = try AtomicFile.read("/usr/share/zoneinfo/America/New_York", limit: 1 << 20)
        #expect(ZoneRules(file: bytes) != nil)
        for length in stride(from: 0, to: bytes.count - 24, by: 7) { #expect(ZoneRules(file: Array(bytes.prefix(length))) == nil) }
    }
}
