import Agent
import Library
import Platform
import TestSupport
import Testing

/// An agent that is no longer referenced leaves nothing behind.
@Suite(.onLoop)
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

    @Test @LoopActor func anAgentThatStillHasChartsToCountEnds() async throws {
        let stage = try Stage([Season.plans[0]])
        stage.stay()
        stage.renderer.hangs = { _ in true }
        await stage.clock.run { _ = await stage.agent.poll() }
        try await waitUntil { !stage.renderer.described.isEmpty }
        let tries = stage.renderer.described.count
        await stage.clock.run { await stage.agent.stop() }
        #expect(stage.renderer.described.count == tries)
    }
}
