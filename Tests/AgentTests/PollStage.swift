import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import TestSupport

@testable import Agent
@testable import Sync

/// A whole agent, and the small service that it polls.
@LoopActor
final class PollStage {
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    let service: SmallService
    let library: Library
    let agent: Agent

    init(_ plans: [SmallService.Plan], in folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        service = SmallService(plans, clock: clock)
        library = try Library(folder: folder.path("data"))
        let client = PlanningCenterClient(
            account: Account(
                apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"), userAgent: "test"),
            transport: service.network, time: clock, log: .silent)
        agent = Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder.path("cache")),
                renderer: SimulatedRenderer(width: 2, clock: clock, duration: .milliseconds(50)), service: client, time: clock,
                log: .silent),
            settings: AgentSettings())
    }

    @discardableResult
    func sync(_ scope: PollScope = .everything) async -> PollOutcome {
        await clock.run {
            let outcome = await agent.poll(scope)
            await agent.settled()
            return outcome
        }
    }

    /// Runs what a test does at certain times, as a task of the loop: any other could be late by a turn of the clock.
    func play<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () async -> Result) async -> Result {
        await clock.run { await spawn(body).value }
    }

    func pass(_ duration: Duration) async throws {
        try await clock.run { try await clock.sleep(for: duration) }
    }
}
