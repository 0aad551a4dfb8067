import Platform
import Testing

@Suite struct RetriesTests {
    private static let start = Moment(nanoseconds: 1_000_000_000_000)

    @Test(arguments: [(1, 15), (2, 30), (6, 480), (7, 600), (100, 600)]) func restsDoubleUpToTenMinutes(times: Int, seconds: Int) {
        var retries = Retries<String, String>()
        for _ in 0..<times { retries.note("full", of: "a", at: Self.start) }
        let due = Self.start + .seconds(seconds)
        #expect(retries["a"]?.times == times && retries.next(after: Self.start) == due)
        #expect(!retries.mayTry("a", at: due + .seconds(-1)) && retries.mayTry("a", at: due) && retries.mayTry("b", at: Self.start))
        #expect(retries.next(after: due) == nil)
    }

    @Test func onlyANewReasonIsNews() {
        var retries = Retries<String, String>()
        let news = ["full", "full", "broken", "full"].map { retries.note($0, of: "a", at: Self.start) }
        #expect(news == [true, false, true, true])
    }

    @Test func whatDoesNotCountRestsAllTheSame() {
        var retries = Retries<String, String>()
        retries.note("away", of: "a", at: Self.start, counts: false) { _ in .seconds(5) }
        #expect(retries["a"]?.times == 0 && retries.next(after: Self.start) == Self.start + .seconds(5))
    }

    @Test func aPersonWhoAsksBeginsWithTheShortestRest() {
        var retries = Retries<String, String>()
        for _ in 0..<5 { retries.note("full", of: "a", at: Self.start) }
        retries.hurry(at: Self.start, isAsked: false)
        #expect(retries.mayTry("a", at: Self.start) && retries["a"]?.times == 5)
        retries.hurry(at: Self.start, isAsked: true)
        retries.note("full", of: "a", at: Self.start)
        #expect(retries.next(after: Self.start) == Self.start + .seconds(15))
    }

    @Test func whatIsNotKeptIsForgotten() {
        var retries = Retries<String, String>()
        for key in ["a", "b", "c"] { retries.note("full", of: key, at: Self.start) }
        retries.keep { $0 != "a" }
        retries.forget("b")
        #expect(retries.entries.keys.sorted() == ["c"])
    }
}
