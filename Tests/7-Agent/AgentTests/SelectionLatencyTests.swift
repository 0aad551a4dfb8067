import Agent
import Glibc
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import TestSupport
import Testing

@testable import Sync

/// Pages that are selected while real processes draw others.
@Suite(.onLoop, .needs(.realTime))
struct SelectionLatencyTests {
    private static let pages = 60

    /// A chart of pages with a few thousand strokes each.
    private static func chart(_ id: String) -> SmallService.Chart {
        var pdf = TestPDF()
        for page in 0..<pages {
            let strokes = (0..<3000).map { "\($0 % 60 * 10) \($0 / 60 * 16 + page) m \($0 % 47 * 12) \($0 / 60 * 16 + 9) l S" }
            pdf.addPage("0.5 w\n" + strokes.joined(separator: "\n"))
        }
        return SmallService.Chart(id: id, name: "Song \(id)", bytes: String(decoding: pdf.bytes, as: UTF8.self) + "%\(id)")
    }

    private static func median(_ durations: [Duration]) -> Duration { durations.sorted()[durations.count / 2] }

    @Test @LoopActor func aSelectionDoesNotWaitForWhatIsDrawnAhead() async throws {
        let folder = TemporaryFolder()
        let clock = SystemClock()
        let charts = ["a", "b"].map(Self.chart)
        let service = SmallService([SmallService.Plan(id: "1", startsAt: "2099-11-22T10:00:00Z", charts: charts)], clock: clock)
        let library = try Library(folder: folder.path("data"))
        let cache = try PageCache(folder: folder.path("cache"))
        let pool = WorkerPool(WorkerOptions(program: Program.folder + "/woodshed-render", width: 2))
        let client = PlanningCenterClient(
            account: Account(
                apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"), userAgent: "test"),
            transport: service.network, time: clock, log: .silent)
        let agent = Agent(
            Agent.Parts(library: library, cache: cache, renderer: pool, service: client, time: clock, log: .silent),
            settings: AgentSettings(ahead: .seconds(100 * 365 * 86_400)))
        agent.pause()
        agent.showing.beLookedAt(true)
        let poll = spawn { await agent.poll() }
        agent.resume()
        #expect(await poll.value.isComplete)
        try await waitUntil {
            try library.charts.chart(of: AttachmentID("b")).map { try library.charts.description(of: $0.hash) != nil } ?? false
        }
        agent.reconcile()
        let chart = try #require(try library.charts.chart(of: AttachmentID("b")))

        var (alone, selected): ([Duration], [Duration]) = ([], [])
        for turn in 0..<9 {
            // Pages are drawn alone and selected in turn, since the machine may be busier at one time than at another.
            agent.pause()
            try await waitUntil { pool.requestCount == 0 }
            let page = PageIndex(Self.pages - 1 - 3 * turn)
            let file = try MemoryFile.create()
            let job = PageJob(
                chart: library.charts.path(of: chart.hash), page: page, settings: RenderSettings(),
                outputs: [PageJob.Output(.plain, key: ImageKey(SHA256.digest(of: "\(page)")), descriptor: file.number)])
            let start = clock.now
            _ = try await pool.render(job, in: .live)
            alone.append(clock.now - start)

            agent.resume()
            agent.reconcile()
            try await waitUntil { pool.requestCount >= 2 }
            let selectedAt = clock.now
            // A selection also draws the two pages after the selected page, so each turn selects a page before those of the last turn.
            let shown = try await agent.showing.select(chart: AttachmentID("b"), page: page, isMarked: true)
            if shown.source == .rendered { selected.append(clock.now - selectedAt) }
        }
        #expect(selected.count >= 7)
        let (expected, actual) = (Self.median(alone), Self.median(selected))
        // Other tests may keep this machine busy; but a selection that had to queue would wait for a hundred pages.
        #expect(actual < expected * 5 + .milliseconds(500), "\(alone) \(selected)")
        await agent.stop()
        #expect(pool.processes.isEmpty)
    }
}
