import Agent
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import Synchronization
import TestSupport

@testable import Sync

/// The whole agent on a simulated clock, network and renderer, with a real library and cache.
@LoopActor
final class Stage {
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    let service: SmallService
    let renderer: SimulatedRenderer
    let pdfs = SimulatedPDFs()
    let library: Library
    let cache: PageCache
    let agent: Agent
    /// Reports changes that others make to the cache.
    let events = SimulatedFileEvents()
    private let lines = Lines()

    /// The log's lines.
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    init(_ plans: [SmallService.Plan], in folder: TemporaryFolder = TemporaryFolder(), settings: AgentSettings = AgentSettings()) throws {
        self.folder = folder
        service = SmallService(plans, clock: clock)
        renderer = SimulatedRenderer(width: 2, clock: clock, duration: .milliseconds(50))
        library = try Library(folder: folder.path("data"))
        cache = try PageCache(folder: folder.path("cache"), side: SideThread(inline: true))
        let client = PlanningCenterClient(
            account: Account(
                apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"),
                userAgent: "test"),
            transport: service.network, time: clock, log: .silent)
        let log = Log { [lines] _, text in lines.all.withLock { $0.append("\(text)") } }
        agent = Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: renderer, service: client, time: clock, log: log, fileEvents: events,
                pdfs: pdfs, songs: pdfs),
            settings: settings)
    }

    /// Keeps the agent running until the test ends, as in the background.
    func stay() {
        agent.beginUpkeep()
        AfterTest.end { [agent, clock] in await clock.run { await agent.stop() } }
    }

    /// All log lines of the agent.
    var logged: [String] { lines.all.withLock { $0 } }

    @discardableResult
    func sync(_ scope: PollScope = .everything) async -> PollOutcome {
        await clock.run {
            let outcome = await agent.poll(scope)
            await agent.settled()
            return outcome
        }
    }

    func settle() async {
        agent.reconcile()
        await clock.run { await agent.settled() }
    }

    /// Lets the agent handle its events, without a check of everything.
    func settleAsTold() async {
        await clock.run { await agent.settled() }
    }

    /// Runs a test's timed steps as a task of the loop; a task elsewhere could be late by a turn of the clock.
    func play<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () async -> Result) async -> Result {
        await clock.run { await spawn(body).value }
    }

    func wait(for duration: Duration) async {
        await clock.run { [clock] in try? await clock.sleep(for: duration) }
    }

    /// Jobs begun since the last call.
    func newJobs() -> [PageJob] {
        defer { jobsSeen = renderer.started.count }
        return Array(renderer.started[jobsSeen...])
    }
    private var jobsSeen = 0
}
