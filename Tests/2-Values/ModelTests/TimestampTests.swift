import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-18T20:31:31Z", 1_795_033_891), ("2000-02-29T23:59:59Z", 951_868_799),
        ("1969-12-31T23:59:59Z", -1), ("2026-11-18T21:31:31+01:00", 1_795_033_891), ("2026-11-18t20:31:31-00:00", 1_795_033_891),
    ])
    func readsInstants(text: String, seconds: Int64) {
        #expect(Timestamp(text)?.nanoseconds == seconds * 1_000_000_000)
    }

    @Test func readsFractions() {
        #expect(Timestamp("1970-01-01T00:00:00.25Z")?.nanoseconds == 250_000_000)
        #expect(Timestamp("1970-01-01T00:00:00.1234567891Z")?.nanoseconds == 123_456_789)
    }

    @Test(arguments: [
        "", "2026-11-18", "2026-13-01T00:00:00Z", "2026-11-18T20:31:31", "2026-11-18T25:00:00Z", "2026-11-18T20:31:31Zx",
        "+026-11-18T20:31:31Z", "2026-11-18T20:31:31.Z", "9999-01-01T00:00:00Z",
    ])
    func refusesWhatIsNoInstant(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: UInt64(0)..<300)
    func textAndBackIsTheSame(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let time = Timestamp(nanoseconds: Int64.random(in: -5_000_000_000_000_000_000...5_000_000_000_000_000_000, using: &random))
        #expect(Timestamp(time.description) == time)
    }

    /// Ordinary and absurd times, such as clocks, services and files may contain.
    private static let times: [Duration] = [
        .zero, .seconds(1_795_033_891), .seconds(10_098_000_000), .seconds(-10_098_000_000), .seconds(253_402_300_800), .seconds(Int64.max),
        .seconds(Int64.min), .nanoseconds(Int64.max), .nanoseconds(Int64.min),
    ]

    @Test(arguments: times, times) func noTimeIsTooFarToReckonWith(one: Duration, other: Duration) {
        let (first, second) = (Timestamp(sinceEpoch: one), Timestamp(sinceEpoch: other))
        #expect(first + (second - first) == second)
        #expect(first - (first - second) == second)
        #expect(other >= .zero ? first + other >= first : first + other <= first)
        #expect(other >= .zero ? first - other <= first : first - other >= first)
        #expect(first.description.hasSuffix("Z") && Timestamp(nanoseconds: .min).description.hasPrefix("1677-09-21T"))
        #expect((first < second) == (one < other) || first == second)
    }

    @Test func aTimeBeyondTheLastIsTheLast() {
        #expect(Timestamp(sinceEpoch: .seconds(10_098_000_000)) == Timestamp(nanoseconds: .max))
        #expect(Timestamp(sinceEpoch: .seconds(-10_098_000_000)) == Timestamp(nanoseconds: .min))
        #expect(Timestamp(nanoseconds: .max) + .seconds(1) == Timestamp(nanoseconds: .max))
    }
}
