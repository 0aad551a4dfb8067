import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct SimulatedClockTests {
    @Test @LoopActor func anHourPassesAtOnce() async throws {
        let simulated = SimulatedClock()
        let real = SystemClock()
        let start = real.now
        try await simulated.run { try await simulated.sleep(for: .seconds(3600)) }
        #expect(simulated.now == Moment(nanoseconds: 3_600_000_000_000))
        #expect(real.now - start < .seconds(60))
    }

    @Test @LoopActor func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
        let clock = SimulatedClock()
        let order = Order()
        try await clock.run {
            let tasks = [30, 10, 20].map { seconds in
                spawnThrowing {
                    try await clock.sleep(for: .seconds(seconds))
                    order.seen.append(seconds)
                }
            }
            for task in tasks { try await task.value }
        }
        #expect(order.seen == [10, 20, 30])
    }

    @LoopActor
    private final class Order {
        var seen: [Int] = []
    }
}

/// What every clock promises, checked for the real and the simulated one.
@Suite(.onLoop)
struct TimeKeeperContractTests {
    @LoopActor
    private func holdsTheContract(_ clock: any TimeKeeper) async throws {
        let start = clock.now
        try await clock.sleep(for: .milliseconds(2))
        #expect(clock.now >= start + .milliseconds(2))

        try await clock.sleep(until: start)
        #expect(clock.now >= start)

        var fired = false
        let cancelled = clock.schedule(at: clock.now + .milliseconds(1)) { fired = true }
        clock.cancel(cancelled)
        clock.cancel(cancelled)
        try await clock.sleep(for: .milliseconds(3))
        #expect(!fired)
    }

    @Test @LoopActor func realClock() async throws {
        try await holdsTheContract(SystemClock())
    }

    @Test @LoopActor func simulatedClock() async throws {
        let clock = SimulatedClock()
        try await clock.run { try await holdsTheContract(clock) }
    }
}
