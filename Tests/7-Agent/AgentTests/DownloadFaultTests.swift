import Agent
import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// The report on a chart that cannot be downloaded.
@Suite(.onLoop)
struct DownloadFaultTests {
    private static let address = "https://service.test/services/v2/file/a"

    private static func plan(_ chart: SmallService.Chart) -> SmallService.Plan {
        SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])
    }

    private static let chart = SmallService.Chart(id: "a", name: "Grace", bytes: SmallService.pdf("grace"))

    /// The former version is here with all its images, but the new version is wanted.
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
}
