import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// Work beside the loop.
@Suite(.onLoop)
struct SideThreadTests {
    private struct Refusal: Error, Hashable {}

    @Test @LoopActor func workIsDoneOffTheLoopAndItsResultComesBackToIt() async {
        let wasOnLoop = await SideThread().run { Loop.shared.isCurrent }
        #expect(!wasOnLoop)
        #expect(Loop.shared.isCurrent)
    }

    @Test @LoopActor func inlineWorkIsDoneAtOnce() async {
        let wasOnLoop = await SideThread(inline: true).run { Loop.shared.isCurrent }
        #expect(wasOnLoop)
    }

    @Test @LoopActor func piecesComeInOrderOneAtATime() async {
        let side = SideThread()
        let seen = Mutex<[Int]>([])
        let tasks = (0..<200).map { number in
            spawn { await side.run { seen.withLock { $0.append(number) } } }
        }
        for task in tasks { await task.value }
        #expect(seen.withLock { $0 } == Array(0..<200))
    }

    @Test @LoopActor func failuresAreThrownToTheCaller() async {
        await #expect(throws: Refusal()) {
            try await SideThread().run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }
}
