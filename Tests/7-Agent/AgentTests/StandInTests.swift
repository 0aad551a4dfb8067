import Agent
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// A chart that is uploaded again under another id takes the former one's place when it can be played from, and not before.
@Suite(.onLoop)
struct StandInTests {
    private static let new = SmallService.pdf("b, uploaded anew")
    private static let successor = ChartHash(SHA256.digest(of: new))
    private let old = AttachmentID("b")
    private let other = AttachmentID("b2")

    /// Sunday's charts are here, and the second was since replaced by another attachment of that name.
    @LoopActor private func uploadedAnew(as name: String? = nil) async throws -> Stage {
        let stage = try Stage([.sunday])
        #expect(await stage.sync().isComplete)
        let chart = stage.service.plans[0].charts[1]
        stage.service.plans[0].charts[1] = SmallService.Chart(id: "b2", name: name ?? chart.name, bytes: Self.new)
        return stage
    }

    @LoopActor private func lacks(_ stage: Stage) async throws -> [String] {
        try await stage.agent.readiness().plans[0].charts[1].lacks.map(\.name)
    }

    @Test @LoopActor func theFormerOneStandsUntilTheNewOneOpens() async throws {
        let stage = try await uploadedAnew()
        let good = try #require(try stage.library.charts.chart(of: old))
        let path = stage.library.charts.path(of: Self.successor)
        let whole = stage.renderer.describe
        stage.renderer.describe = { $0 == path ? .failure(.unreadable("damaged")) : whole($0) }
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: other)?.hash == good.hash)
        #expect(try await lacks(stage) == ["out-of-date"])
        stage.renderer.describe = whole
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: other)?.hash == Self.successor)
        #expect(try await lacks(stage) == [])
    }

    /// And it moves to no chart that only happens to be reported.
    @Test(arguments: ["b2", "a"]) @LoopActor func aLayerMovesAlongAtOnce(target: String) async throws {
        let stage = try Stage([.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "b", pages: [0])]
        #expect(await stage.sync().isComplete)
        _ = try stage.library.linkCharts(into: stage.folder.path("music"))
        let chart = stage.service.plans[0].charts[1]
        stage.service.plans[0].charts[1] = SmallService.Chart(id: "b2", name: chart.name, bytes: Self.new)
        stage.service.layers["1"] = [SmallService.layer("l", on: target, pages: [0], revision: 2)]
        let moves = target == "b2"
        #expect(await stage.sync().isComplete == moves)
        #expect(try stage.library.layers.all(of: other).count == 1)
        #expect(try stage.library.layers.all(of: AttachmentID("a")).isEmpty)
    }

    /// Others' marks stay at the music that they were made for, though the service puts them on a chart which no plan shows.
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
        // The service shows the former chart again.
        stage.service.plans[0].charts[1] = chart
        await stage.sync()
        #expect(try stage.library.drawings.visibleLayers(of: old).map(\.id) == [LayerID("l")])
    }

    /// The service has not deleted them; and the musician who marked the former chart may not have marked the new one yet.
    @Test(arguments: [true, false]) @LoopActor func layersStayInSightWhereTheServiceNamesThemNoMore(hasSameBytes: Bool) async throws {
        let stage = try Stage([.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "b", pages: [0])]
        #expect(await stage.sync().isComplete)
        _ = try stage.library.drawings.setHidden(true, layer: LayerID("l"), of: old)
        let chart = stage.service.plans[0].charts[1]
        stage.service.plans[0].charts[1] = SmallService.Chart(
            id: "b2", name: chart.name, bytes: hasSameBytes ? chart.bytes : Self.new)
        stage.service.layers["1"] = []
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.layers.all(of: other).map(\.id) == [LayerID("l")])
        #expect(try stage.library.drawings.visibleLayers(of: other).isEmpty, "it was hidden, and is")
        _ = try stage.library.drawings.setHidden(false, layer: LayerID("l"), of: other)
        #expect(try stage.library.drawings.visibleLayers(of: other).map(\.id) == [LayerID("l")])
        let notes = try await stage.agent.readiness().plans[0].charts[1].notes
        #expect(notes.contains { if case .layersGone = $0 { true } else { false } }, "\(notes)")
        // The service shows the former chart again.
        stage.service.plans[0].charts[1] = chart
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.drawings.visibleLayers(of: old).map(\.id) == [LayerID("l")])
    }

    /// Nobody knows whether the new chart is the same music; the musician learns of the marks before playing from it.
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
        // Where it is shown again, nothing was ever left.
        stage.service.plans[0].charts[1] = chart
        #expect(await stage.sync().isComplete)
        #expect(try await stage.agent.readiness().isReady)
    }

    @Test @LoopActor func anotherNameIsAnotherChart() async throws {
        let stage = try await uploadedAnew(as: "Something else")
        stage.renderer.describe = { _ in .failure(.unreadable("damaged")) }
        await stage.sync()
        #expect(try stage.library.charts.chart(of: other)?.hash != stage.library.charts.chart(of: old)?.hash)
    }

    @Test @LoopActor func ofTwoThatItMayBeNoneStands() async throws {
        let stage = try await uploadedAnew()
        let chart = stage.service.plans[0].charts[1]
        stage.service.plans[0].charts.append(SmallService.Chart(id: "b3", name: chart.name, bytes: SmallService.pdf("b, too")))
        stage.renderer.describe = { _ in .failure(.unreadable("damaged")) }
        await stage.sync()
        let former = try stage.library.charts.chart(of: old)?.hash
        for id in [other, AttachmentID("b3")] { #expect(try stage.library.charts.chart(of: id)?.hash != former) }
    }

    @Test @LoopActor func aNewVersionOfWhichAPageCannotBeDrawnIsNotTaken() async throws {
        let stage = try Stage([.sunday])
        #expect(await stage.sync().isComplete)
        let good = try #require(try stage.library.charts.chart(of: old))
        stage.service.plans[0].charts[1].bytes = Self.new
        stage.service.plans[0].charts[1].updatedAt = "2026-11-20T10:00:00Z"
        let path = stage.library.charts.path(of: Self.successor)
        stage.renderer.verdict = { job in
            job.chart == path && job.page == PageIndex(1) ? .failure(.timedOut(seconds: 30)) : .success(PageOutcome())
        }
        let outcome = await stage.sync()
        #expect(outcome.setbacks.first?.message.hasPrefix("page 2 of the new version cannot be drawn") == true)
        #expect(try stage.library.charts.chart(of: old) == good)
        #expect(try await lacks(stage) == ["out-of-date"])
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: old)?.hash == Self.successor)
    }
}
