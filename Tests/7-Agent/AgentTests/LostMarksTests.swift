import Catalogue
import Model
import PageCache
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Library

/// Marks that cannot be read from the catalogue for a while.
@Suite(.onLoop)
struct LostMarksTests {
    @Test @LoopActor func thePageIsMadeWithoutThemAndWithThemAsSoonAsTheyCanBeRead() async throws {
        let folder = TemporaryFolder()
        let plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("a")])
        let first = try Stage([plan], in: folder)
        first.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
        await first.sync()
        #expect(first.cache.present().contains { $0.variant == .annotated })
        await first.agent.stop()

        let cache = first.cache
        _ = try await cache.clear()
        let stage = try Stage([plan], in: folder)
        stage.stay()
        try stage.library.database.run("UPDATE layers SET marks = '[' || marks")
        await stage.settle()
        let made = stage.cache.present()
        #expect(!made.contains { $0.variant == .annotated })
        #expect(made.contains { $0.variant == .plain && $0.page.value == 0 }, "what needs no marks is made: \(stage.logged)")
        #expect(stage.agent.tally.failed == 1)

        try stage.library.database.run("UPDATE layers SET marks = substr(marks, 2)")
        await stage.wait(for: .seconds(700))
        await stage.settleAsTold()
        #expect(stage.cache.present().contains { $0.variant == .annotated }, "\(stage.logged)")
        #expect(stage.agent.tally.failed == 0)
        await stage.agent.stop()
    }

    /// Reading many marks takes long and runs on the loop, where it would delay everything else. So a page that has its image is
    /// shown without reading them.
    @Test @LoopActor func aPageThatIsHereIsShownWithoutReadingThem() async throws {
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("a")])])
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
        await stage.sync()
        try stage.library.database.run("UPDATE layers SET marks = '[' || marks")
        let shown = try await stage.agent.showing.select(chart: AttachmentID("a"), page: PageIndex(0), isMarked: true)
        #expect(shown.name.variant == .annotated && shown.source != .rendered)
        await stage.agent.stop()
    }
}
