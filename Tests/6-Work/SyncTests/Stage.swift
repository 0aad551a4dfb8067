import Catalogue
import ImageKeeping
import Library
import Model
import PlanningCenter
import Platform
import Rendering
import Sets
import TestSupport

@testable import Sync

/// The polling part of an agent, with a real library, on a simulated clock and network.
@LoopActor
final class Stage: SyncEvents {
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    let service: SmallService
    let library: Library
    let renderer: SimulatedRenderer
    let songs = SimulatedPDFs()
    /// Closed while no new download may begin.
    let gate = Gate()
    private let client: PlanningCenterClient
    private let ending = AgentEnding()
    /// The changes reported to the rest of the agent, in order.
    private(set) var told: [LibraryChange] = []
    /// Called with the number of plans that a poll has read.
    var onPlansRead: (Int) -> Void = { _ in }
    var onDownloads: (DownloadProgress) -> Void = { _ in }
    var onPollEnded: (_ outcome: PollOutcome, _ isRequested: Bool) -> Void = { _, _ in }
    private let scope: SyncScope
    private let sets: SetSettings?
    private let hasAccount: Bool
    private let side: SideThread

    private(set) lazy var polls = Polls(
        SyncParts(
            library: library, service: hasAccount ? client : nil, sets: sets, renderer: renderer, songs: songs, time: clock, log: .silent,
            side: side,
            wants: LibraryWants(library: library, render: RenderSettings(), ahead: Self.ahead), look: LookRequests(time: clock),
            catalogue: CatalogueWatch(
                library, time: clock, log: .silent, isInline: true, ending: ending, leave: {}),
            sideWork: YieldingWork(), gate: gate, ahead: Self.ahead, scope: scope, asked: nil, width: 4, render: RenderSettings(),
            events: self))

    private nonisolated static let ahead = Duration.seconds(28 * 86_400)

    /// Two plans a week apart, with a chart each.
    nonisolated static let plans = ["2026-11-22", "2026-11-29"].enumerated().map { index, day in
        SmallService.Plan(
            id: "\(index + 1)", startsAt: day + "T10:00:00Z",
            charts: [SmallService.Chart(id: "\(index + 1)a", name: "Song \(index + 1)", bytes: SmallService.pdf("\(index + 1)a"))])
    }

    init(
        _ plans: [SmallService.Plan], _ choice: ChartChoice = ChartChoice(), in folder: TemporaryFolder = TemporaryFolder(),
        scope: SyncScope = .all, sets: SetSettings? = nil, hasAccount: Bool = true,
        side: SideThread = SideThread(inline: true)
    ) throws {
        (self.folder, self.scope, self.sets, self.hasAccount, self.side) = (folder, scope, sets, hasAccount, side)
        service = SmallService(plans, clock: clock)
        renderer = SimulatedRenderer(width: 2, clock: clock, duration: .milliseconds(50))
        library = try Library(folder: folder.path("data"))
        client = PlanningCenterClient(
            account: Account(
                apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"), userAgent: "test"),
            choice: choice, transport: service.network, time: clock, log: .silent)
    }

    @discardableResult
    func sync(_ scope: PollScope = .everything) async -> PollOutcome { await clock.run { await self.poll(scope) } }

    func poll(_ scope: PollScope = .everything) async -> PollOutcome { await polls.poll(scope) }

    /// Runs a test's timed steps as a task of the loop; a task elsewhere could be late by a turn of the clock.
    func play<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () async -> Result) async -> Result {
        await clock.run { await spawn(body).value }
    }

    /// Counts the pages of the charts that have arrived, as the rest of an agent does.
    func countPages() async throws {
        let tag = try await renderer.identity().tag
        for chart in try library.plans.all().flatMap(\.attachments) {
            guard let hash = try library.charts.chart(of: chart.use)?.hash,
                case .success(let described) = renderer.describe(library.charts.path(of: hash))
            else { continue }
            try library.charts.setDescription(StoredDescription(pages: described.pages), of: hash, by: tag)
        }
    }

    func wait(for duration: Duration) async { await clock.run { [clock] in try? await clock.sleep(for: duration) } }

    /// Stops as an agent does: all polls end, then the library is closed.
    func stop() async throws {
        await clock.run { await self.polls.end() }
        try library.keepLastPoll()
        library.close()
    }

    // MARK: - Events for the rest of an agent

    func changed(_ changes: [LibraryChange]) { told += changes }
    func chartArrived(_ changes: [LibraryChange]) { told += changes }
    func described(_ chart: ChartHash, as description: ChartDescription, by tag: RendererTag) {}
    func pollBegins(isRequested: Bool) {}
    func plansRead(_ done: Int, of all: Int) { onPlansRead(done) }
    func plansChanged() {}
    func downloadsProgressed() { onDownloads(polls.downloads.progress) }
    func pollEnded(_ outcome: PollOutcome, isRequested: Bool) { onPollEnded(outcome, isRequested) }
}
