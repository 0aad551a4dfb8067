import Agent
import Catalogue
import Model
import PageCache
import Platform
import Readiness
import Rendering
import TestSupport
import Testing

@testable import Library

/// Songs in keys that nobody has chosen yet.
@Suite(.onLoop) struct ChartsAheadTests {
    private static let song = SongID("77")
    private static let chart = AttachmentID(drawnFrom: song)

    private struct Ahead {
        let hash: ChartHash
        let pages: [ChartOutlook.Page]
    }

    /// A plan with one song in A, whose chart is drawn on this laptop and has marks.
    @LoopActor private static func stage() async throws -> Stage {
        var plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T09:00:00Z", charts: [])
        plan.songs = [SmallService.Song(id: song.text, title: "Grace", text: "VERSE 1\n[G]Amazing grace", key: "A")]
        let stage = try Stage([plan])
        stage.service.layers["1"] = [SmallService.layer("L", on: chart.text, pages: [0])]
        await stage.sync()
        await stage.sync()
        return stage
    }

    @LoopActor private static func present(_ stage: Stage) throws -> Model.Attachment {
        try #require(try stage.library.plans.plan(PlanID("1"))?.attachments.first { $0.id == chart })
    }

    /// The song in another key, as the agent sends it to a browser before anybody chooses that key.
    @LoopActor private static func ahead(in key: String, _ stage: Stage) async throws -> Ahead {
        let present = try present(stage)
        var other = present
        let origin = try #require(present.origin)
        other.generatedFrom = SheetOrigin(song: origin.song, SongView(key: key, writing: origin.view.writing)).text
        return try await stage.clock.run { [other] in
            let pages = try await stage.agent.outlook(of: present).pages
            let told = try await stage.agent.pages(of: other, insteadOf: present, pages)
            return Ahead(hash: told.ahead.hash, pages: told.pages)
        }
    }

    @Test @LoopActor func aKeyThatIsChosenHasTheImagesThatWereToldOfIt() async throws {
        let stage = try await Self.stage()
        let ahead = try await Self.ahead(in: "B", stage)
        let names = ahead.pages.map(\.annotated.name)
        #expect(try #require(ahead.pages.first).isMarked)
        let shown = try await stage.clock.run { try await stage.agent.showing.image(named: names[0]) }
        #expect(shown.source == .rendered)

        let trouble = try await stage.clock.run {
            try await stage.agent.read(Self.song, as: SongView(key: "B"), in: PlanID("1"), isEverywhere: false)
        }
        #expect(trouble == nil)
        await stage.settle()
        let chosen = try Self.present(stage)
        #expect(try stage.library.charts.chart(of: chosen.use)?.hash == ahead.hash)
        let pages = try await stage.clock.run { try await stage.agent.outlook(of: chosen).pages }
        #expect(pages.map(\.annotated.name) == names && pages.allSatisfy(\.isReady))
    }

    @Test @LoopActor func aSongThatHasAnotherChartIsDrawnOnRequest() async throws {
        var plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T09:00:00Z", charts: [])
        var song = SmallService.Song(id: Self.song.text, title: "Grace", text: "VERSE 1\n[G]Amazing grace", key: "A")
        song.chart = SmallService.Chart(id: "5", name: "Grace.pdf", bytes: SmallService.pdf("one"))
        plan.songs = [song]
        let stage = try Stage([plan])
        await stage.sync()
        #expect(try stage.library.plans.plan(PlanID("1"))?.attachments.map(\.id) == [AttachmentID("5")], "nobody asked for it")
        let told = try await stage.clock.run {
            try await stage.agent.read(Self.song, as: SongView(key: "B"), in: PlanID("1"), isEverywhere: false)
        }
        #expect(told == nil)
        #expect(try Self.present(stage).origin?.view.key == "B")
    }

    /// Chooses a key, and returns why the choice was not kept; nil if it was.
    @LoopActor private static func choose(_ key: String, _ stage: Stage) async throws -> String? {
        try await stage.agent.read(song, as: SongView(key: key), in: PlanID("1"), isEverywhere: false)
    }

    @LoopActor private static func chosen(_ stage: Stage) throws -> String? {
        try stage.library.songs.view(of: song, in: PlanID("1"))?.key
    }

    @Test @LoopActor func ofTwoChoicesAtTheSameTimeTheLastOneHolds() async throws {
        let stage = try await Self.stage()
        var other: String?? = .none
        stage.pdfs.whileDrawing = { job in
            if job.sheet.view.key == "B" { other = try? await Self.choose("C", stage) }
        }
        let told = try await stage.clock.run { try await Self.choose("B", stage) }
        #expect(told == "another key was chosen in the meantime" && other == .some(.none))
        #expect(try Self.chosen(stage) == "C" && Self.present(stage).origin?.view.key == "C")
    }

    @Test @LoopActor func aChoiceThatCannotBeDrawnOrNobodyWaitsForIsNotKept() async throws {
        let stage = try await Self.stage()
        let task = spawnThrowing { try await Self.choose("C", stage) }
        stage.pdfs.whileDrawing = { _ in task.cancel() }
        #expect(try await stage.clock.run { try await task.value } != nil)
        #expect(try Self.chosen(stage) == nil && Self.present(stage).origin?.view.key == "A")

        stage.pdfs.whileDrawing = { _ in }
        stage.pdfs.remarks = { _ throws(RenderFailure) in throw .drawing("no font") }
        #expect(try await stage.clock.run { try await Self.choose("D", stage) }?.contains("no font") == true)
        #expect(try Self.chosen(stage) == nil && Self.present(stage).origin?.view.key == "A")
    }

    @Test @LoopActor func aMarkForOneKeyIsShownInThatOneAlone() async throws {
        let stage = try await Self.stage()
        stage.service.layers["1"] = [SmallService.layer("L", on: Self.chart.text, pages: [0], revision: 2, key: "Cb")]
        await stage.sync()
        func isMarked() async throws -> Bool {
            let chart = try Self.present(stage)
            return try await stage.clock.run { try await stage.agent.outlook(of: chart).pages[0].isMarked }
        }
        #expect(try await !isMarked(), "it is in A")
        #expect(try await !Self.ahead(in: "Bb", stage).pages[0].isMarked)
        let ahead = try await Self.ahead(in: "B", stage)
        #expect(ahead.pages[0].isMarked, "B is what others call C flat")
        let name = try #require(ahead.pages.first?.annotated.name)
        #expect(try await stage.clock.run { try await stage.agent.showing.image(named: name) }.source == .rendered)

        for (key, expected) in [("B", true), ("C", false)] {
            _ = try await stage.clock.run {
                try await stage.agent.read(Self.song, as: SongView(key: key), in: PlanID("1"), isEverywhere: false)
            }
            await stage.settle()
            #expect(try await isMarked() == expected, "\(key)")
            let chart = try Self.present(stage)
            let pages = try await stage.clock.run { try await stage.agent.outlook(of: chart).pages }
            #expect(!pages.contains { !$0.isReady })
            _ = try await stage.clock.run { try await stage.agent.pdf(of: chart) }
            let exported = try #require(stage.pdfs.parts.last)
            #expect(exported.marks.isEmpty == !expected, "\(key)")
        }
    }

    /// The chart was drawn by an older version of Woodshed, which did not record the key. It is drawn once more, with the same
    /// result.
    @Test @LoopActor func aChartWhoseKeyNobodyNotedIsDrawnOnceMoreAndIsTheSame() async throws {
        let stage = try await Self.stage()
        let charts = stage.library.charts
        let hash = try #require(try charts.chart(of: Self.present(stage).use)).hash
        #expect(try charts.printedKey(of: hash) == "A")
        try stage.library.database.run("DROP TABLE chart_keys")
        try Migration.apply(Migration.all, to: stage.library.database)
        #expect(try charts.printedKey(of: hash) == nil)
        let chart = try Self.present(stage)
        let report = try await stage.clock.run { try await stage.agent.outlook(of: chart).report }
        #expect(report.isReady, "that is no reason to doubt it")
        let drawn = stage.pdfs.songs.count
        for _ in 0..<2 { await stage.sync() }
        #expect(try charts.printedKey(of: hash) == "A" && stage.pdfs.songs.count == drawn + 1)
        #expect(try charts.chart(of: Self.present(stage).use)?.hash == hash)
        #expect(try stage.library.olderMarks.outdatedMarks(of: Self.chart).isEmpty)
    }

    @Test @LoopActor func whatNobodyChoseLeavesNothingBehind() async throws {
        let stage = try await Self.stage()
        let files = { try Folder.names(in: stage.folder.path("data/charts")).sorted() }
        let (before, present) = (try files(), try Self.present(stage))
        for key in ["B", "Bb", "G#", "G"] {
            for page in try await Self.ahead(in: key, stage).pages {
                _ = try await stage.clock.run { try await stage.agent.showing.image(named: page.annotated.name) }
                #expect(!stage.cache.contains(page.annotated.name))
            }
        }
        await stage.sync()
        #expect(try files() == before)
        #expect(try Self.present(stage) == present)
        #expect(try stage.library.charts.all(of: Self.chart).count == 1)
    }

    @Test @LoopActor func aSecondBrowserCostsNoSecondDrawing() async throws {
        let stage = try await Self.stage()
        let first = try await Self.ahead(in: "B", stage)
        let (drawn, described) = (stage.pdfs.songs.count, stage.renderer.described.count)
        #expect(try await Self.ahead(in: "B", stage).hash == first.hash)
        #expect(stage.pdfs.songs.count == drawn && stage.renderer.described.count == described)
    }
}
