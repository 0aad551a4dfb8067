import DemoService
import Platform
import TestSupport
import Testing

@testable import Benchmarks

@Suite(.onLoop)
struct IdlePollTests {
    /// Checks the figure that `poll` prints as `idle_bytes_written@…`. If a single page of the catalogue is written, the figure is more
    /// than 4096.
    @Test @LoopActor func pollWithoutChangesWritesNextToNothing() async throws {
        let service = try DemoService.start(load: DemoLoad(plans: 3, chartsPerPlan: 5))
        defer { service.stop() }
        let scratch = TemporaryFolder()
        let poller = Poller(
            apiURL: service.apiURL, annotationsURL: service.annotationsURL, folder: scratch.path("home"), idlePolls: 2)
        let polls = try await poller.measured(by: Program.folder + "/woodshed-bench")
        #expect(polls["sync_bytes_written"].first ?? 0 > 4096, "a measure that sees no write would prove nothing")
        let idle = polls["idle_bytes_written"]
        #expect(idle.count == 2)
        #expect(idle.allSatisfy { $0 <= 4096 }, "\(idle)")
    }
}
