import Platform
import TestSupport
import Testing
import Watching

/// Tests how long a file stays unread while it is being written.
@Suite(.onLoop)
struct SettlerTests {
    /// A settler on a simulated clock, and the times at which files settled.
    @LoopActor
    private final class Bench {
        let clock = SimulatedClock()
        private(set) var settled: [(at: Duration, paths: [String])] = []
        private(set) var settler: Settler!

        init() {
            let start = clock.now
            settler = Settler(clock: clock) { [clock, unowned self] in settled.append((clock.now - start, $0)) }
        }

        /// Notes each file at its time after the start, and waits until all have settled.
        func note(_ news: [(at: Int, path: String)]) async {
            let start = clock.now
            await clock.run { [self] in
                for each in news {
                    try? await clock.sleep(until: start + .milliseconds(each.at))
                    settler.note(each.path)
                }
                try? await clock.sleep(for: .seconds(3))
            }
        }
    }

    @Test @LoopActor func burstIsOneLook() async {
        let bench = Bench()
        await bench.note([(0, "a"), (50, "a"), (100, "a")])
        #expect(bench.settled.map(\.paths) == [["a"]])
        #expect(bench.settled.map(\.at) == [.milliseconds(250)])
        #expect(bench.settler.isQuiet)
    }

    @Test @LoopActor func steadyWritesAreLookedAtEveryTwoSeconds() async {
        let bench = Bench()
        await bench.note((0..<50).map { ($0 * 100, "a") })
        #expect(bench.settled.map(\.at) == [.seconds(2), .milliseconds(4100), .milliseconds(5050)])
    }

    @Test @LoopActor func filesRestEachForItself() async {
        let bench = Bench()
        await bench.note([(0, "b"), (0, "a"), (100, "c")])
        #expect(bench.settled.map(\.paths) == [["a", "b"], ["c"]])
        #expect(bench.settled.map(\.at) == [.milliseconds(150), .milliseconds(250)])
    }

    @Test @LoopActor func nothingComesAfterStop() async {
        let bench = Bench()
        bench.settler.note("a")
        bench.settler.stop()
        await bench.note([])
        #expect(bench.settled.isEmpty)
    }
}
