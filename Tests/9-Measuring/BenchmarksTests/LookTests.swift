import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Benchmarks

@Suite(.onLoop)
struct LookTests {
    /// `reconcile_ms` is only worth measuring if the measured work is what a real agent has to do.
    @Test @LoopActor func aMeasuredLookFindsJustWhatAnAgentQueues() async throws {
        let scratch = TemporaryFolder()
        let measured = try MarkedLibrary(folder: scratch.path("data"), charts: 10, marks: 0)
        let clock = SimulatedClock()
        clock.wallTimeAtStart = .nanoseconds(MarkedLibrary.now.nanoseconds)
        let library = try Library(folder: measured.folder)
        let cache = try PageCache(folder: scratch.path("cache"), side: SideThread(inline: true))
        let renderer = SimulatedRenderer(width: 1, clock: clock)
        (renderer.currentTag, renderer.currentFonts) = (MarkedLibrary.renderer.tag, MarkedLibrary.renderer.fonts)
        let service = PlanningCenterClient(
            account: Account(apiURL: SmallService.api, annotationsURL: nil, credentials: Secret("id:secret"), userAgent: "test"),
            transport: SimulatedNetwork(time: clock), time: clock, log: .silent)
        let agent = Agent(
            Agent.Parts(library: library, cache: cache, renderer: renderer, service: service, time: clock, log: .silent),
            settings: AgentSettings())
        // A paused agent only looks for missing images and does not render them.
        agent.pause()
        agent.reconcile()
        await clock.run { await agent.core.look.quiet() }

        let works = try MarkedLibrary.look(agent.wants, cache, agent.keeper, besides: [])
        let images = works.reduce(0) { $0 + $1.images.count }
        #expect(works.count == 100 && images == 200, "without marks, a page has two images")
        #expect((agent.progress.missingPages, agent.progress.missing) == (works.count, images))
        #expect(Set(agent.core.wanted.plainImages.values).isSubset(of: works.flatMap(\.images).map(\.name)))
    }
}
