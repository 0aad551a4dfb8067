import Agent
import Glibc
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import ImageKeeping
@testable import Marks
@testable import Readiness
@testable import Sync

/// Charts that do not come: why is told to whoever asks, also when no agent runs any more.
@Suite(.onLoop)
struct DownloadFaultTests {
    private static let address = "https://service.test/services/v2/file/a"

    private static func plan(_ chart: SmallService.Chart) -> SmallService.Plan {
        SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])
    }

    private static let chart = SmallService.Chart(id: "a", name: "Grace", bytes: SmallService.pdf("grace"))

    /// What is lacking, by the library alone, and by what the running agent shows.
    @LoopActor private func lacks(_ stage: Stage) async throws -> [[ReadinessLack]] {
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        let cache = try PageCache(readingFrom: stage.folder.path("cache"), side: SideThread(inline: true))
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: CacheSettings(), time: stage.clock, log: .silent)
        let check = ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: try await stage.agent.renderer(),
            marks: MarkRoots([]))
        let plans = try library.plans.all()
        let now = stage.clock.timestamp
        let report = try await check.report(of: plans, ReadinessCheck.Circumstances(now: now, isThorough: true))
        let outlook = try await stage.agent.outlook(of: plans)
        return [report.plans[0].charts[0].lacks, outlook[0].report.charts[0].lacks]
    }

    private func because(_ lack: ReadinessLack?) -> String? {
        if case .notDownloaded(let reason) = lack { reason } else { nil }
    }

    @Test(arguments: ["500", "404", "403", "unreachable", "size", "form", "disk"])
    @LoopActor func theReasonIsKeptUntilTheChartComes(trouble: String) async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        var words: String
        switch trouble {
        case "unreachable":
            stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in throw HTTPFailure(.unreachable, "no line") }
            words = "no line"
        case "size":
            stage.service.plans[0].charts[0].size = 5000
            words = "arrived with \(stage.service.plans[0].charts[0].bytes.utf8.count) bytes, but the service says that it has 5000"
        case "form":
            stage.service.plans[0].charts[0].bytes = "<html>log in</html>"
            words = "not a PDF"
        case "disk":
            unlinkChartsFolder(stage)
            words = "charts"
        default:
            stage.service.network.route(.get, Self.address, status: Int(trouble) ?? 0, "trouble")
            words = trouble == "500" ? "500" : ""
        }
        #expect(await stage.sync().setbacks.count == 1)
        for found in try await lacks(stage) {
            #expect(found.count == 1 && because(found[0])?.contains(words) == true, "\(found)")
        }

        // A new version is another matter.
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.plans[0].charts[0].size = nil
        stage.service.plans[0].charts[0].bytes = Self.chart.bytes
        let good = HTTPResponse(status: 200, body: Array(Self.chart.bytes.utf8))
        stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in good }
        restoreChartsFolder(stage)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.downloadFaults().isEmpty)
        #expect(try await lacks(stage).allSatisfy { $0.allSatisfy { because($0) == nil } })
        await stage.clock.run { await stage.agent.stop() }
    }

    /// The former version is here with all its images, but it is not what is wanted.
    @Test @LoopActor func aChartWhoseNewVersionDoesNotComeIsReadyForNobody() async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        #expect(try await stage.agent.planTable().rows.map(\.state) == ["ready"])
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.network.route(.get, Self.address, status: 500, "trouble")
        await stage.sync()
        let lack = try await stage.agent.readiness().plans[0].charts[0].lacks.first
        let table = try await stage.agent.planTable()
        #expect(table.rows.map(\.state) == [try #require(lack).sentence])
        #expect(!table.isReady && table.isComplete)
        await stage.clock.run { await stage.agent.stop() }
    }

    /// Has nothing be written where charts are kept, also for a user who may do everything.
    @LoopActor private func unlinkChartsFolder(_ stage: Stage) {
        let folder = stage.folder.path("data/charts")
        rename(folder, folder + "-away")
        try? AtomicFile.write("in the way", to: folder)
    }

    @LoopActor private func restoreChartsFolder(_ stage: Stage) {
        let folder = stage.folder.path("data/charts")
        guard access(folder + "-away", F_OK) == 0 else { return }
        unlink(folder)
        rename(folder + "-away", folder)
    }
}
