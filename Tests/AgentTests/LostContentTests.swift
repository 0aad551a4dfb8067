import Agent
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// A page that is drawn is not for that a page that can be played from.
@Suite(.onLoop)
struct LostContentTests {
    private static let damage = "Syntax error at position 439: Unknown compression method in flate stream"
    private let song = AttachmentID("b")

    @LoopActor private func lacks(_ stage: Stage) async throws -> [ReadinessLack] {
        try await stage.agent.readiness().plans[0].charts[1].lacks
    }

    /// No former chart is better, so that it is kept; that it is damaged is told.
    @Test @LoopActor func aFirstVersionOfWhichAPageLostItsContentIsNotReady() async throws {
        let stage = try Stage([.sunday])
        let path = stage.library.path(of: SmallService.Plan.sunday.charts[1].hash)
        stage.renderer.verdict = { job in
            .success(PageOutcome(warnings: job.chart == path && job.page.value == 1 ? ["something else", Self.damage] : []))
        }
        #expect(await stage.sync().isComplete)
        await stage.settle()
        let lost = ReadinessLack.contentLost([PageIndex(1)], reason: Self.damage, chart: song)
        #expect(try await lacks(stage) == [lost])
        #expect(lost.advised.contains("page 2 is damaged") && lost.advised.contains("'woodshed accept b'"))

        try Library.accept(chart: song, inLibraryAt: stage.library.folder)
        #expect(try await lacks(stage) == [])
        #expect(try await stage.agent.readiness().isReady)
    }

    /// An annotated image is laid over the plain one, and its renderer sees nothing of what the page lost.
    @Test @LoopActor func newMarksDoNotHideIt() async throws {
        let stage = try Stage([.sunday])
        stage.service.layers["1"] = [SmallService.layer("l", on: "b", pages: [0])]
        stage.renderer.verdict = { _ in .success(PageOutcome(warnings: [Self.damage])) }
        #expect(await stage.sync().isComplete)
        await stage.settle()
        let before = try await lacks(stage)
        #expect(before.map(\.name) == ["content-lost"])
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        let composed = stage.renderer.composed.count
        stage.service.layers["1"]?.append(SmallService.layer("m", on: "b", pages: [0], x: 0.25))
        #expect(await stage.sync().isComplete)
        await stage.settle()
        #expect(stage.renderer.composed.count > composed)
        #expect(try await lacks(stage) == before)
    }
}
