import TestSupport
import Testing

@testable import Platform

@Suite(.onLoop)
struct PacedHintsTests {
    private let clock = SimulatedClock()

    /// Records when each run begins; a run takes `length` on the clock.
    @LoopActor
    private final class Runs {
        let clock: SimulatedClock
        var length: Duration
        private(set) var begun: [Moment] = []

        init(_ clock: SimulatedClock, length: Duration) {
            self.clock = clock
            self.length = length
        }

        func run() async {
            begun.append(clock.now)
            try? await clock.sleep(for: length)
        }
    }

    /// Gives `count` patient hints, one every `pause`.
    @LoopActor private func hint(_ hints: PacedHints, _ runs: Runs, every pause: Duration, _ count: Int) async throws {
        for _ in 0..<count {
            hints.hintPatiently { await runs.run() }
            try await clock.sleep(for: pause)
        }
    }

    @Test(arguments: [1, 10, 50]) @LoopActor func whatComesInLargeNumbersCostsASmallShareOfTheTime(milliseconds: Int) async throws {
        try await clock.run {
            let (hints, runs) = (PacedHints(time: clock), Runs(clock, length: .milliseconds(milliseconds)))
            try await hint(hints, runs, every: .milliseconds(200), 600)
            await hints.quiet()
            // In these two minutes, runs may take a hundredth of the time, or come every two seconds. A few more may come at the start.
            let most = min(600, max(1200 / milliseconds, 60) + HintPace.most + 2)
            #expect(runs.begun.count <= most, "\(runs.begun.count)")
            #expect(runs.begun.count >= most / 2)
        }
    }

    @Test @LoopActor func whatComesAloneIsFollowedAtOnce() async throws {
        try await clock.run {
            let (hints, runs) = (PacedHints(time: clock), Runs(clock, length: .milliseconds(20)))
            for _ in 0..<20 {
                let start = clock.now
                // Two hints in a row are usual: one for a new chart, and one for its number of pages.
                try await hint(hints, runs, every: .milliseconds(100), 2)
                #expect(runs.begun.suffix(2).map { $0 - start } == [.zero, .milliseconds(100)])
                try await clock.sleep(for: .seconds(30))
            }
        }
    }

    @Test @LoopActor func oneLongRunHoldsNothingUp() async throws {
        try await clock.run {
            let (hints, runs) = (PacedHints(time: clock), Runs(clock, length: .seconds(60)))
            try await hint(hints, runs, every: .seconds(61), 1)
            runs.length = .milliseconds(5)
            for _ in 0..<5 {
                let start = clock.now
                try await hint(hints, runs, every: .milliseconds(20), 1)
                #expect(runs.begun.last == start)
            }
        }
    }

    @Test @LoopActor func noHintIsLost() async throws {
        try await clock.run {
            let (hints, runs) = (PacedHints(time: clock), Runs(clock, length: .milliseconds(20)))
            for _ in 0..<50 {
                try await hint(hints, runs, every: .milliseconds(30), 1)
                let last = clock.now
                #expect(!hints.isQuiet || runs.begun.last.map { $0 >= last + .milliseconds(-30) } == true)
            }
            let last = clock.now + .milliseconds(-30)
            try await clock.sleep(for: .seconds(3))
            #expect(hints.isQuiet)
            #expect(try #require(runs.begun.last) >= last)
        }
    }

    @Test @LoopActor func whatSomebodyWaitsForDoesNotWait() async throws {
        try await clock.run {
            let (hints, runs) = (PacedHints(time: clock), Runs(clock, length: .milliseconds(20)))
            try await hint(hints, runs, every: .milliseconds(30), 30)
            hints.hintPatiently { await runs.run() }
            #expect(!hints.isQuiet)
            let start = clock.now
            await hints.quiet()
            #expect(clock.now - start <= .milliseconds(40))
            // An ordinary hint does not wait, either.
            hints.hint { await runs.run() }
            await hints.quiet()
            #expect(clock.now - start <= .milliseconds(60))
            let count = runs.begun.count
            // No patient hint is left over that would cause another run.
            try await clock.sleep(for: .seconds(10))
            #expect(runs.begun.count == count)
        }
    }
}
