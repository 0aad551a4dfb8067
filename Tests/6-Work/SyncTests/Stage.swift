import Catalogue
import ImageKeeping
import Library
import Model
import PlanningCenter
import Platform
import Rendering
import TestSupport

@testable import Sync

/// What asks the service, on a simulated clock and network, with a real library and without the rest of an agent.
@LoopActor
final class Stage: SyncEvents {
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    let service: SmallService
    let library: Library
    private let renderer: SimulatedRenderer
    private let client: PlanningCenterClient
    private let ending = AgentEnding()
    /// What the rest of an agent was told of, in order.
    private(set) var told: [LibraryChange] = []
    /// Is told how many plans a poll has read.
    var onPlansRead: (Int) -> Void = { _ in }
    private let scope: SyncScope

    private lazy var polls = Polls(
        SyncParts(
            library: library, service: client, renderer: renderer, time: clock, log: .silent, side: SideThread(inline: true),
            wants: LibraryWants(library: library, render: RenderSettings(), ahead: Self.ahead), look: LookAnew(time: clock),
            catalogue: CatalogueWatch(
                library, time: clock, log: .silent, isInline: true, ending: ending, leave: {}),
            sideWork: YieldingWork(), gate: Gate(), ahead: Self.ahead, scope: scope, asked: nil, width: 4, render: RenderSettings(),
            events: self))

    private nonisolated static let ahead = Duration.seconds(28 * 86_400)

    /// Two plans a week apart, with a chart each.
    nonisolated static let plans = ["2026-11-22", "2026-11-29"].enumerated().map { index, day in
        SmallService.Plan(
            id: "\(index + 1)", startsAt: day + "T10:00:00Z",
            charts: [SmallService.Chart(id: "\(index + 1)a", name: "Song \(index + 1)", bytes: SmallService.pdf("\(index + 1)a"))])
    }

    init(_ plans: [SmallService.Plan], in folder: TemporaryFolder = TemporaryFolder(), scope: SyncScope = .all) throws {
        (self.folder, self.scope) = (folder, scope)
        service = SmallService(plans, clock: clock)
        renderer = SimulatedRenderer(width: 2, clock: clock, duration: .milliseconds(50))
        library = try Library(folder: folder.path("data"))
        client = PlanningCenterClient(
            account: Account(
                apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"), userAgent: "test"),
            transport: service.network, time: clock, log: .silent)
    }

    @discardableResult
    func sync() async -> PollOutcome { await clock.run { await self.polls.poll(.everything) } }

    func wait(for duration: Duration) async { await clock.run { [clock] in try? await clock.sleep(for: duration) } }

    /// As an agent stops: everything has ended, and the library is closed.
    func stop() async throws {
        await clock.run { await self.polls.end() }
        try library.keepLastPoll()
        library.close()
    }

    // MARK: - What an agent would follow

    func changed(_ changes: [LibraryChange]) { told += changes }
    func chartArrived(_ changes: [LibraryChange]) { told += changes }
    func described(_ chart: ChartHash, as description: ChartDescription, by tag: RendererTag) {}
    func pollBegins(isRequested: Bool) {}
    func plansRead(_ done: Int, of all: Int) { onPlansRead(done) }
    func plansChanged() {}
    func downloadsProgressed() {}
    func pollEnded(_ outcome: PollOutcome, isRequested: Bool) {}
}
