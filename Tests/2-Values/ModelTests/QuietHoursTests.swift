import Testing

@testable import Model

@Suite(.timeLimit(.minutes(5)))
struct QuietHoursTests {
    private let hour = 3600

    @Test(arguments: ["22:00-08:00", "00:00-23:59", "13:15-14:00"]) func theyAreWrittenAsTheyAreRead(text: String) {
        #expect(QuietHours(text)?.description == text)
    }

    @Test(arguments: [
        "", "22:00", "22:00-", "22-8", "24:00-08:00", "22:60-08:00", "08:00-08:00", "22:00-08:00-09:00", "-1:00-08:00", "+2:00-08:00",
    ])
    func whatIsNoHoursIsRefused(text: String) { #expect(QuietHours(text) == nil) }

    @Test func theyLastUntilTheirEndPastMidnight() throws {
        let night = try #require(QuietHours("22:00-08:00"))
        #expect(night.rest(at: 22 * hour) == .seconds(10 * hour))
        #expect(night.rest(at: 23 * hour + 1) == .seconds(9 * hour - 1))
        #expect(night.rest(at: 0) == .seconds(8 * hour))
        #expect(night.rest(at: 8 * hour - 1) == .seconds(1))
        for second in [8 * hour, 12 * hour, 22 * hour - 1] { #expect(night.rest(at: second) == nil) }
    }

    @Test func theyLastUntilTheirEndOnOneDay() throws {
        let noon = try #require(QuietHours("12:00-13:00"))
        #expect(noon.rest(at: 12 * hour) == .seconds(hour))
        for second in [0, 12 * hour - 1, 13 * hour, 24 * hour - 1] { #expect(noon.rest(at: second) == nil) }
    }
}
