import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct LoopTests {
    @Test @LoopActor func sleepEndsNoEarlierThanItsDeadline() async throws {
        let clock = SystemClock()
        let start = clock.now
        try await clock.sleep(for: .milliseconds(30))
        #expect(clock.now - start >= .milliseconds(30))
    }

    @Test @LoopActor func cancelledSleepEndsAtOnce() async {
        // If cancelling did not wake the sleeper, this test would hang, and `OnLoop` would end the run.
        let sleeper = spawnThrowing { try await SystemClock().sleep(for: .seconds(86_400)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test @LoopActor func timersWithEqualDeadlinesFireInOrder() async {
        let clock = SystemClock()
        let deadline = clock.now + .milliseconds(5)
        var order: [Int] = []
        await withCheckedContinuation { continuation in
            for number in 0..<5 {
                _ = clock.schedule(at: deadline) {
                    order.append(number)
                    if number == 4 { continuation.resume() }
                }
            }
        }
        #expect(order == [0, 1, 2, 3, 4])
    }
}
