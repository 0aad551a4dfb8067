import Glibc
import Platform
import TestSupport
import Testing

@testable import Agent

/// A folder that never answers does not hold up anything else.
@Suite(.onLoop)
struct ShelfSideTests {
    /// Starts a read that only ends when the returned file is closed.
    @LoopActor private func ask(_ side: ShelfSide) -> (Task<Void, Never>, Int32) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let answer = spawn { [ends] in
            await side.run {
                var byte: UInt8 = 0
                read(ends[0], &byte, 1)
                close(ends[0])
            }
        }
        return (answer, ends[1])
    }

    @Test @LoopActor func aQuestionThatIsNotAnsweredIsNoticedUntilItIs() async throws {
        let clock = SimulatedClock()
        let side = ShelfSide(time: clock, isInline: false)
        var isTold = false
        side.hangs = { isTold = true }
        let (answer, release) = ask(side)
        await clock.run { try? await clock.sleep(for: ShelfSide.patience - .seconds(1)) }
        #expect(!side.isHanging)
        await clock.run { try? await clock.sleep(for: .seconds(2)) }
        #expect(side.isHanging && isTold)
        close(release)
        await answer.value
        #expect(!side.isHanging)
    }

    @Test @LoopActor func anAgentThatStopsHasLessPatience() async throws {
        let clock = SimulatedClock()
        let side = ShelfSide(time: clock, isInline: false)
        let (answer, release) = ask(side)
        await clock.run { try? await clock.sleep(for: .seconds(1)) }
        side.hurry()
        await clock.run { try? await clock.sleep(for: ShelfSide.lastPatience + .seconds(1)) }
        #expect(side.isHanging)
        close(release)
        await answer.value
    }
}
