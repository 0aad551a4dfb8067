import Platform
import Testing

@Suite struct GrowingPauseTests {
    private static let start = Moment(nanoseconds: 1_000_000_000_000)
    private var pause = GrowingPause(first: .seconds(2), factor: 3, most: .seconds(50))

    @Test func eachWaitIsLongerUpToTheLongest() {
        #expect((-1...6).map { pause.after($0) } == [0, 0, 2, 6, 18, 50, 50, 50].map { .seconds($0) })
        #expect(pause.after(.max) == .seconds(50))
    }

    @Test mutating func whatFailsWaitsUntilItWorks() {
        #expect(pause.mayTry(at: Self.start) && pause.rest(at: Self.start) == nil)
        #expect([2, 6].map { .seconds($0) } == [pause.fail(at: Self.start), pause.fail(at: Self.start)])
        #expect(pause.until == Self.start + .seconds(6) && pause.rest(at: Self.start + .seconds(1)) == .seconds(5))
        #expect(!pause.mayTry(at: Self.start + .seconds(5)) && pause.mayTry(at: pause.until) && pause.rest(at: pause.until) == nil)
        pause.succeed()
        #expect(pause.mayTry(at: Self.start) && pause.failures == 0 && pause.fail(at: Self.start) == .seconds(2))
    }

    @Test mutating func aWaitThatWasAskedForIsTakenAsItIs() {
        #expect(pause.fail(at: Self.start, asked: .seconds(100)) == .seconds(100) && pause.until == Self.start + .seconds(100))
        #expect(pause.fail(at: Self.start) == .seconds(6))
    }

    @Test mutating func whatIsFreeIsFollowedByNoWait() {
        let waits = (0..<3).map { _ in pause.fail(at: Self.start, free: 1) }
        #expect(waits == [.zero, .seconds(2), .seconds(6)])
        #expect(pause.fail(at: Self.start, counts: false, free: .max) == .zero && pause.failures == 3)
    }

    @Test mutating func whatEndsAlikeIsNotTriedAgain() {
        pause = .forGood
        pause.fail(at: Self.start)
        #expect(!pause.mayTry(at: Moment(nanoseconds: .max - 1)))
    }
}

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
        retries.note("away", of: "a", at: Self.start, counts: false, asked: .seconds(5))
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

    @Test func namesWithoutEndTakeNoMemoryWithoutEnd() {
        var retries = Retries<Int, String>(.forGood, most: 100)
        for key in 0..<1050 { retries.note("away", of: key, at: Self.start) }
        #expect(retries.entries.count == 50)
        for _ in 0..<200 { retries.note("away", of: 1049, at: Self.start) }
        #expect(retries.entries.count == 50 && !retries.mayTry(1049, at: Self.start))
    }

    @Test func whatIsNotKeptIsForgotten() {
        var retries = Retries<String, String>()
        for key in ["a", "b", "c"] { retries.note("full", of: key, at: Self.start) }
        retries.keep { $0 != "a" }
        retries.forget("b")
        #expect(retries.entries.keys.sorted() == ["c"])
    }
}
