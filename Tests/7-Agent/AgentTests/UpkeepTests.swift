import ImageKeeping
import Platform
import TestSupport
import Testing

@testable import Agent

/// Work that is tried again after a while.
@Suite(.onLoop)
struct UpkeepTests {
    @LoopActor
    private final class Tries {
        let clock = SimulatedClock()
        let upkeep: Upkeep
        private(set) var at: [Int] = []
        private let start: Moment

        init() {
            start = clock.now
            upkeep = Upkeep(clock, LookRequests(time: clock))
            upkeep.begin {}
        }

        func ask(_ matter: Upkeep.Matter = .failedLook, after seconds: Int) {
            upkeep.requestLook(for: matter, at: clock.now + .seconds(seconds)) { [self] in at.append(Int((clock.now - start).inSeconds)) }
        }

        func wait(_ seconds: Int) async {
            await clock.run { [clock] in try? await clock.sleep(for: .seconds(seconds)) }
        }
    }

    @Test(arguments: [true, false]) @LoopActor func oneMatterDoesNotTakeThePlaceOfTheOther(looksFirst: Bool) async {
        let tries = Tries()
        if looksFirst { tries.ask(.failedLook, after: 15) }
        tries.ask(.failedImage, after: 600)
        if !looksFirst { tries.ask(.failedLook, after: 15) }
        await tries.wait(3000)
        #expect(tries.at == [15, 600])
        tries.upkeep.end()
    }

    @Test @LoopActor func manyThatAskForTheSameMatterAreOneTry() async {
        let tries = Tries()
        for _ in 0..<100 { tries.ask(after: 600) }
        await tries.wait(3000)
        #expect(tries.at == [600])
        tries.upkeep.end()
    }

    @Test @LoopActor func atTheEndNothingIsTriedAnyMore() async {
        let tries = Tries()
        tries.ask(after: 15)
        tries.ask(.failedImage, after: 600)
        tries.upkeep.end()
        await tries.wait(3000)
        #expect(tries.at.isEmpty)
    }
}
