import Agent
import Catalogue
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Sync

/// A plan whose rehearsal is over, and whose service is still ahead.
@Suite(.onLoop)
struct BegunPlanTests {
    @Test @LoopActor func aPlanThatHasBegunIsAskedForThoughNoListNamesIt() async throws {
        let chart = SmallService.Chart(id: "a", name: "Song a", bytes: SmallService.pdf("first"))
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])])
        #expect(await stage.sync().isComplete)
        let start = try #require(try stage.library.plans.all().first?.plan.firstTime)
        await stage.wait(for: start - stage.clock.timestamp + .seconds(600))
        stage.service.unlisted = ["1"]
        stage.service.plans[0].charts[0].bytes = SmallService.pdf("second")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-22T10:05:00Z"
        #expect(await stage.sync().isComplete)
        let hash = ChartHash(SHA256.digest(of: SmallService.pdf("second")))
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == hash)
        // If the service no longer lists the plan, the library keeps the plan and its charts, and polls still succeed.
        stage.service.plans = []
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.plans.all().map(\.plan.id.text) == ["1"])
        // Once the plan is over, it is not requested any more.
        await stage.wait(for: .seconds(2 * 86_400))
        let before = stage.service.network.requests.count
        await stage.sync()
        #expect(stage.service.network.requests.count == before + 1)
    }
}
