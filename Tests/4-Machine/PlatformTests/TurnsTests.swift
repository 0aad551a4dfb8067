import Platform
import TestSupport
import Testing

/// Callers run one at a time, in the order of arrival.
@Suite(.onLoop)
struct TurnsTests {
    @LoopActor
    private final class Room {
        private(set) var inside = 0
        private(set) var most = 0
        private(set) var order: [Int] = []

        /// Stays inside long enough for the other callers to try to enter.
        func visit(_ number: Int) async {
            inside += 1
            most = max(most, inside)
            order.append(number)
            for _ in 0..<8 { await spawn {}.value }
            inside -= 1
        }
    }

    @Test @LoopActor func whoeverCameFirstIsLetInFirst() async {
        let (turns, room) = (Turns(), Room())
        let visits = (0..<20).map { number in spawn { await turns.run { await room.visit(number) } } }
        for visit in visits { await visit.value }
        #expect(room.most == 1)
        #expect(room.order == Array(0..<20))
    }

    @Test @LoopActor func whoeverIsCancelledWhileWaitingDoesNotLetASecondOneIn() async {
        let (turns, room) = (Turns(), Room())
        let visits = (0..<9).map { number in spawn { await turns.run { await room.visit(number) } } }
        await spawn {}.value
        for visit in visits[1...5] { visit.cancel() }
        for visit in visits { await visit.value }
        #expect(room.most == 1)
        #expect(room.order.sorted() == Array(0..<9))
    }

    @Test @LoopActor func theTurnIsGivenOnAfterAFailure() async throws {
        let turns = Turns()
        await #expect(throws: CancellationError.self) { try await turns.run { () throws(CancellationError) in throw CancellationError() } }
        #expect(await turns.run { 1 } == 1)
    }
}
