import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct YieldingWorkTests {
    /// Work that runs until it is cancelled or `mayEnd` is set.
    @LoopActor
    private final class Piece {
        private(set) var begun = 0
        var mayEnd = false

        func run() async throws -> Int {
            begun += 1
            while !mayEnd {
                if Task.isCancelled { throw CancellationError() }
                await Task.yield()
            }
            return begun
        }
    }

    @Test @LoopActor func whatIsBrokenOffBeginsAgainWhenNothingHoldsIt() async throws {
        let (work, piece) = (YieldingWork(), Piece())
        let task = spawnThrowing { try await work.run { try await piece.run() } }
        while piece.begun < 1 { await Task.yield() }
        work.hold(.selection)
        work.hold(.pause)
        work.breakOff()
        for _ in 0..<100 { await Task.yield() }
        work.release(.selection)
        for _ in 0..<100 { await Task.yield() }
        #expect(piece.begun == 1)
        piece.mayEnd = true
        work.release(.pause)
        #expect(try await task.value == 2)
    }

    @Test @LoopActor func oneWhoIsCancelledDoesNotComeBack() async throws {
        let (work, piece) = (YieldingWork(), Piece())
        let task = spawnThrowing { try await work.run { try await piece.run() } }
        while piece.begun < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(piece.begun == 1)
    }

    @Test @LoopActor func theEndLetsThroughWhatIsHeld() async throws {
        let (work, piece) = (YieldingWork(), Piece())
        piece.mayEnd = true
        work.hold(.pause)
        let task = spawnThrowing { try await work.run { try await piece.run() } }
        for _ in 0..<100 { await Task.yield() }
        #expect(piece.begun == 0)
        work.end()
        #expect(try await task.value == 1)
    }
}
