import Agent
import Library
import Platform
import TestSupport
import Testing

/// What is left of an agent that nobody holds any more.
@Suite(.onLoop, .timeLimit(.minutes(15)))
struct AgentEndTests {
    @Test @LoopActor func agentGoesWithAllItsParts() async throws {
        weak var agent: Agent?
        weak var library: Library?
        weak var renderer: SimulatedRenderer?
        do {
            let stage = try Stage([Season.plans[0]])
            stage.agent.beginUpkeep()
            await stage.sync()
            (agent, library, renderer) = (stage.agent, stage.library, stage.renderer)
            await stage.agent.stop()
        }
        try await waitUntil { agent == nil && library == nil && renderer == nil }
    }
}
