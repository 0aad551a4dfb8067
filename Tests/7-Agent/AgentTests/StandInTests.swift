import Agent
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// A chart uploaded again under another id replaces the former chart once it can be played from, and not before.
@Suite(.onLoop)
struct StandInTests {
    private static let new = SmallService.pdf("b, uploaded anew")
    private static let successor = ChartHash(SHA256.digest(of: new))
    private let old = AttachmentID("b")
    private let other = AttachmentID("b2")

    /// Other people's marks on the former chart are still shown, although the service has them on a chart that is in no plan now.
    @Test @LoopActor func layersOfTheFormerChartStayInSight() async throws {
        let stage = try Stage([.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "b", pages: [0])]
        #expect(await stage.sync().isComplete)
        _ = try stage.library.linkCharts(into: stage.folder.path("music"))
        let chart = stage.service.plans[0].charts[1]
        let former = try #require(try stage.library.charts.chart(of: old)).hash
        stage.service.plans[0].charts[1] = SmallService.Chart(id: "b2", name: chart.name, bytes: Self.new)
        let path = stage.library.charts.path(of: Self.successor)
        let whole = stage.renderer.describe
        stage.renderer.describe = { $0 == path ? .failure(.unreadable("damaged")) : whole($0) }
        for comes in [false, true, true] {
            if comes { stage.renderer.describe = whole }
            #expect(await stage.sync().isComplete == comes)
            _ = try stage.library.linkCharts(into: stage.folder.path("music"))
            #expect(try stage.library.drawings.visibleLayers(of: other).map(\.id) == [LayerID("l")])
            #expect(try await stage.agent.planTable().isComplete)
        }
        #expect(try stage.library.charts.chart(of: other)?.hash != former)
        // The service goes back to the former chart.
        stage.service.plans[0].charts[1] = chart
        await stage.sync()
        #expect(try stage.library.drawings.visibleLayers(of: old).map(\.id) == [LayerID("l")])
    }

    /// The new chart may be different music, so the marks are reported before the musician plays from it.
    @Test @LoopActor func marksThatAreLeftBehindAreTold() async throws {
        var later = SmallService.Plan.sunday
        (later.id, later.startsAt) = ("2", "2026-11-29T10:00:00Z")
        let stage = try Stage([.sunday, later])
        stage.service.layers["1"] = [SmallService.layer("l", on: "b", pages: [0])]
        #expect(await stage.sync().isComplete)
        #expect(try await stage.agent.readiness().isReady)
        let chart = stage.service.plans[0].charts[1]
        stage.service.plans[0].charts[1] = SmallService.Chart(id: "b2", name: chart.name, bytes: Self.new)
        #expect(await stage.sync().isComplete)
        let lacks = try await stage.agent.readiness().plans[0].lacks
        #expect(lacks.map(\.name) == ["marks-left-behind"])
        #expect(lacks.allSatisfy { $0.advised.contains("'woodshed accept 1'") })
        #expect(try stage.library.accept(plan: PlanID("1"), at: stage.clock.timestamp))
        #expect(try await stage.agent.readiness().isReady)
        // Once the former chart is shown again, no marks are left behind.
        stage.service.plans[0].charts[1] = chart
        #expect(await stage.sync().isComplete)
        #expect(try await stage.agent.readiness().isReady)
    }
}
