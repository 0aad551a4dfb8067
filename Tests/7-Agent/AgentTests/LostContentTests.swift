import Agent
import Catalogue
import Glibc
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

@testable import Library
@testable import Readiness
@testable import Sync

/// A page that was drawn may still have lost its content.
@Suite(.onLoop)
struct LostContentTests {
    private static let damage = "Syntax error at position 439: Unknown compression method in flate stream"
    private let song = AttachmentID("b")

    @LoopActor private func lacks(_ stage: Stage) async throws -> [ReadinessLack] {
        try await stage.agent.readiness().plans[0].charts[1].lacks
    }

    /// There is no better former chart, so the damaged one is kept and reported.
    @Test @LoopActor func aFirstVersionOfWhichAPageLostItsContentIsNotReady() async throws {
        let stage = try Stage([.sunday])
        let path = stage.library.charts.path(of: SmallService.Plan.sunday.charts[1].hash)
        stage.renderer.verdict = { job in
            .success(PageOutcome(warnings: job.chart == path && job.page.value == 1 ? ["something else", Self.damage] : []))
        }
        #expect(await stage.sync().isComplete)
        await stage.settle()
        let lost = ReadinessLack.contentLost([PageIndex(1)], reason: Self.damage, chart: song)
        #expect(try await lacks(stage) == [lost])
        #expect(lost.advised.contains("page 2 is damaged") && lost.advised.contains("'woodshed accept b'"))

        try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) }
        #expect(try await lacks(stage) == [])
        let report = try await stage.agent.readiness()
        #expect(report.isReady)
        #expect(report.plans[0].charts[1].notes == [.damageAccepted([PageIndex(1)])], "it is not whole for that")
    }

    /// The images may outlive the catalogue, but do not record that content was lost when they were drawn.
    @Test @LoopActor func itIsFoundAgainWhereTheCatalogueIsLost() async throws {
        let folder = TemporaryFolder()
        @LoopActor func stage() throws -> Stage {
            let stage = try Stage([.sunday], in: folder)
            let path = stage.library.charts.path(of: SmallService.Plan.sunday.charts[1].hash)
            stage.renderer.verdict = { job in .success(PageOutcome(warnings: job.chart == path ? [Self.damage] : [])) }
            return stage
        }
        let first = try stage()
        #expect(await first.sync().isComplete)
        await first.settle()
        let before = try await lacks(first)
        #expect(before.map(\.name) == ["content-lost"])
        let images = first.cache.present()
        await first.agent.stop()
        for name in try Folder.names(in: folder.path("data")) where name.hasPrefix("catalogue") {
            unlink(folder.path("data/" + name))
        }

        let second = try stage()
        #expect(await second.sync().isComplete)
        await second.settle()
        #expect(try await lacks(second) == before)
        #expect(second.cache.present() == images)
        // The images are checked only once.
        _ = second.newJobs()
        await second.settle()
        #expect(second.newJobs().isEmpty)
    }

    /// While drawing is paused, a removed thumbnail would stay missing.
    @Test @LoopActor func thumbnailsAreLookedThroughOnlyWhereTheyCanBeDrawnAgain() async throws {
        let stage = try Stage([.sunday])
        await stage.sync()
        let (images, words) = (stage.cache.present(), "4 thumbnails are drawn again")
        try stage.library.database.run("UPDATE charts SET looked_through = 0")
        _ = stage.newJobs()
        stage.agent.pause()
        stage.agent.reconcile()
        await stage.wait(for: .seconds(60))
        #expect(stage.cache.present() == images && !stage.logged.contains { $0.hasPrefix(words) })
        stage.agent.resume()
        await stage.settleAsTold()
        #expect(stage.cache.present() == images && stage.newJobs().count == 4)
        #expect(stage.logged.contains { $0.hasPrefix(words) })
        await stage.agent.stop()
    }

    /// An annotated image is made from the plain image, so the renderer that makes it reports nothing about the page's lost content.
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
