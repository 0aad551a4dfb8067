import Catalogue
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Library
@testable import Sync

/// Charts that are drawn from the service's words and chords.
@Suite(.onLoop) struct SongSyncTests {
    private static let song = SmallService.Song(id: "77", title: "Grace", text: "VERSE 1\n[G]Amazing grace", key: "A")
    private static let chart = AttachmentID(drawnFrom: SongID("77"))

    @LoopActor private static func stage(writing: SongView.Writing = .letters) throws -> Stage {
        var plans = Stage.plans
        plans[0].songs = [song]
        return try Stage(plans, ChartChoice(usual: ChartChoice.Rules(writing: writing)))
    }

    @LoopActor private static func attachment(_ stage: Stage) throws -> Model.Attachment? {
        try stage.library.plans.plan(PlanID("1"))?.attachments.first { $0.id == chart }
    }

    @Test @LoopActor func aSongWithoutAChartIsDrawnInThePlansKey() async throws {
        let stage = try Self.stage()
        let outcome = await stage.sync()
        #expect(outcome.setbacks == [])
        let attachment = try #require(try Self.attachment(stage))
        #expect(attachment.filename == "Grace, words and chords.pdf")
        #expect(try stage.library.charts.chart(of: attachment.use)?.version == attachment.version)
        #expect(stage.songs.songs.map(\.sheet.view.key) == ["A"])
        #expect(stage.songs.songs.map(\.sheet.song.key) == ["G"] && stage.songs.songs.map(\.sheet.song.order) == [["Verse 1", "Chorus"]])
        #expect(stage.service.opened == ["1a", "2a"], "the service is not asked for it")
    }

    @Test @LoopActor func aPollWithoutChangeAsksNoMoreAndDrawsNothing() async throws {
        let stage = try Self.stage()
        await stage.sync()
        let asked = stage.service.network.requests.count
        await stage.sync()
        let each = stage.service.network.requests.count - asked
        let bare = try Stage(Stage.plans)
        await bare.sync()
        let before = bare.service.network.requests.count
        await bare.sync()
        #expect(each == bare.service.network.requests.count - before)
        #expect(stage.songs.songs.count == 1)
    }

    @Test @LoopActor func aKeyThatChangesOnThursdayIsDrawnAtTheNextPoll() async throws {
        let stage = try Self.stage()
        await stage.sync()
        let former = try #require(try Self.attachment(stage))
        let marks = SmallService.layer("L", on: Self.chart.text, pages: [0])
        stage.service.layers["1"] = [marks]
        await stage.sync()
        stage.service.plans[0].songs[0].key = "Bb"
        await stage.sync()
        let attachment = try #require(try Self.attachment(stage))
        #expect(attachment.use != former.use)
        #expect(try stage.library.charts.chart(of: attachment.use)?.version == attachment.version)
        #expect(stage.songs.songs.map(\.sheet.view.key) == ["A", "Bb"])
        let layers = try stage.library.layers.all(of: Self.chart)
        #expect(layers.map(\.id.text) == ["L"], "marks belong to the song")
        #expect(try stage.library.olderMarks.outdatedMarks().isEmpty, "each word is where it was")
    }

    @Test @LoopActor func anotherOrderOfThePartsLeavesMarksWhereTheyAre() async throws {
        let stage = try Self.stage()
        await stage.sync()
        stage.service.layers["1"] = [SmallService.layer("L", on: Self.chart.text, pages: [0])]
        await stage.sync()
        stage.service.plans[0].songs[0].order = ["Chorus", "Chorus"]
        await stage.sync()
        #expect(stage.songs.songs.map(\.sheet.song.order) == [["Verse 1", "Chorus"], ["Chorus", "Chorus"]])
        #expect(try stage.library.olderMarks.all().isEmpty, "each word is where it was")
        stage.service.plans[0].songs[0].text += " of old"
        await stage.sync()
        #expect(try stage.library.olderMarks.all().count == 1, "words are where they were not")
    }

    @Test @LoopActor func aTextThatChangesRedrawsThatChartAlone() async throws {
        let stage = try Self.stage()
        stage.service.plans[0].songs.append(SmallService.Song(id: "78", title: "Other", text: "[C]La"))
        await stage.sync()
        #expect(stage.songs.songs.count == 2)
        stage.service.plans[0].songs[0].text += "\n[D]how sweet"
        await stage.sync()
        #expect(stage.songs.songs.dropFirst(2).map(\.sheet.song.title) == ["Grace"])
    }

    @Test @LoopActor func aChoiceIsDrawnWithoutTheServiceAndOutlivesPolls() async throws {
        let stage = try Self.stage()
        await stage.sync()
        let asked = stage.service.network.requests.count
        let view = SongView(key: "E", capo: 2)
        let plans = try #require(try stage.library.plans.read(SongID("77"), as: view, in: PlanID("1"), at: stage.clock.timestamp))
        #expect(await stage.polls.downloads.draw(plans) == [])
        #expect(stage.service.network.requests.count == asked)
        #expect(stage.songs.songs.last?.sheet.view == SongView(key: "E", capo: 2, writing: .letters))
        #expect(stage.renderer.describedIn.last == .live, "a musician waits for its pages")
        let chosen = try #require(try Self.attachment(stage))
        await stage.sync()
        #expect(try Self.attachment(stage) == chosen && stage.songs.songs.count == 2)
        try stage.library.plans.read(SongID("77"), as: nil, in: PlanID("1"), at: stage.clock.timestamp)
        #expect(try Self.attachment(stage)?.origin?.view == SongView(key: "A", writing: .letters))
    }

    /// A choice is drawn before it is kept, so what is drawn must be what is kept.
    @Test @LoopActor func whatIsDrawnForAChoiceIsWhatThePlanThenHas() async throws {
        let views: [SongView?] = [nil, SongView(key: "E"), SongView(from: "G", capo: 2), SongView(key: "C", writing: .numbers)]
        for former in views {
            for wasEverywhere in [false, true] {
                for view in views {
                    for isEverywhere in [false, true] {
                        let stage = try Self.stage()
                        await stage.sync()
                        let (plans, song, plan, now) = (stage.library.plans, SongID("77"), PlanID("1"), stage.clock.timestamp)
                        try plans.read(song, as: former, in: plan, isEverywhere: wasEverywhere, at: now)
                        let before = try plans.plan(plan)
                        let drawn = try plans.contents(of: plan, reading: song, as: view, isEverywhere: isEverywhere)
                        #expect(try plans.plan(plan) == before, "nothing is kept yet")
                        #expect(try plans.read(song, as: view, in: plan, isEverywhere: isEverywhere, at: now)?.first == drawn)
                    }
                }
            }
        }
    }

    /// The panel sends the way to write chords with every choice, even if that way comes from the settings alone. It is then not
    /// stored as the musician's choice.
    @Test @LoopActor func whoChoseAKeyFollowsTheSettingsInHowChordsAreWritten() async throws {
        let stage = try Self.stage(writing: .german)
        await stage.sync()
        func choose(_ writing: SongView.Writing) throws -> SongView.Writing? {
            let view = SongView(key: "E", writing: writing)
            try stage.library.plans.read(SongID("77"), as: view, in: PlanID("1"), at: stage.clock.timestamp)
            #expect(try Self.attachment(stage)?.origin?.view == view)
            return try stage.library.songs.view(of: SongID("77"), in: PlanID("1"))?.writing
        }
        #expect(try choose(.german) == nil)
        #expect(try choose(.letters) == .letters)
    }

    @Test @LoopActor func whatCannotBeDrawnIsSaidAndTriedAgain() async throws {
        let stage = try Self.stage()
        stage.songs.remarks = { _ throws(RenderFailure) in throw .drawing("there is no font") }
        let outcome = await stage.sync()
        #expect(outcome.setbacks.contains { $0.subject == "Grace, words and chords.pdf" && $0.message.contains("there is no font") })
        #expect(try stage.library.charts.chart(of: AttachmentID("1a")) != nil, "it keeps no other waiting")
        stage.songs.remarks = { _ in [] }
        #expect(await stage.sync().setbacks == [])
        #expect(try stage.library.charts.chart(of: Self.chart) != nil)
    }

    @Test @LoopActor func aFileWithWordsAndChordsIsDrawn() async throws {
        let stage = try Stage(Stage.plans)
        stage.service.plans[0].charts.append(SmallService.Chart(id: "c", name: "Grace.cho", bytes: "{title: Grace}\n{key: G}\n[G]La"))
        #expect(await stage.sync().setbacks == [])
        #expect(stage.songs.songs.map(\.sheet.song.text) == ["{title: Grace}\n{key: G}\n[G]La"])
        #expect(stage.songs.songs.map(\.sheet.song.dialect) == [.chordPro])
        let attachment = try #require(try stage.library.plans.plan(PlanID("1"))?.attachments.first { $0.id.text == "c" })
        #expect(attachment.displayName == "Grace")
        #expect(try stage.library.charts.chart(of: attachment.use)?.version == attachment.version)
        await stage.sync()
        #expect(stage.songs.songs.count == 1, "it is here")
    }

    @Test @LoopActor func aFileIsReadInAnotherKeyWithoutTheService() async throws {
        let stage = try Stage(Stage.plans)
        stage.service.plans[0].charts = [SmallService.Chart(id: "c", name: "Grace.cho", bytes: "{title: Grace}\n{key: G}\n[G]La")]
        await stage.sync()
        let file = SongID(inFile: AttachmentID("c"))
        #expect(try stage.library.plans.plan(PlanID("1"))?.items.map { $0.song?.id } == [file])
        let asked = stage.service.network.requests.count
        let plans = try stage.library.plans.read(file, as: SongView(key: "E", capo: 2), in: PlanID("1"), at: stage.clock.timestamp)
        #expect(await stage.polls.downloads.draw(try #require(plans)) == [])
        #expect(stage.service.network.requests.count == asked)
        let view = SongView(key: "E", capo: 2, writing: .letters)
        #expect(stage.songs.songs.map(\.sheet.view).last == view && stage.songs.songs.count == 2)
        func chart() throws -> Model.Attachment? { try stage.library.plans.plan(PlanID("1"))?.attachments.first }
        #expect(try chart()?.id == AttachmentID("c") && chart()?.origin?.view == view, "it is the same chart, with its marks")
        let told = await stage.sync()
        #expect(try chart()?.origin?.view == view && stage.songs.songs.count == 2, "what was chosen outlives polls")
        #expect(told.changes == [], "and is no news")
        // Without a choice, the chart is in its own key again.
        let back = try stage.library.plans.read(file, as: nil, in: PlanID("1"), at: stage.clock.timestamp)
        #expect(await stage.polls.downloads.draw(try #require(back)) == [])
        #expect(try chart()?.origin?.view == SongView(writing: .letters))
        // A new file in the same place is a new text.
        stage.service.plans[0].charts[0].bytes = "{title: Grace}\n{key: G}\n[G]Lala"
        stage.service.plans[0].charts[0].updatedAt = "2026-11-19T00:00:00Z"
        await stage.sync()
        #expect(stage.songs.songs.last?.sheet.song.text.hasSuffix("[G]Lala") == true)
    }

    /// The file is cut off during the download, or has another size than the service states.
    @Test(arguments: [100, 4])
    @LoopActor func aFileThatIsNotWholeIsNotDrawn(size: Int) async throws {
        let stage = try Stage(Stage.plans)
        stage.service.plans[0].charts.append(SmallService.Chart(id: "c", name: "Grace.cho", bytes: "[G]La", size: size))
        let outcome = await stage.sync()
        #expect(outcome.setbacks.contains { $0.subject == "Grace.cho" })
        #expect(try stage.library.charts.chart(of: AttachmentID("c")) == nil && stage.songs.songs.isEmpty)
    }

    @Test @LoopActor func aChoiceForAllPlansTakesThisPlansOwnAway() async throws {
        let stage = try Self.stage()
        stage.service.plans[1].songs = [Self.song]
        await stage.sync()
        func keys() throws -> [String?] {
            try ["1", "2"].map { plan in
                try stage.library.plans.plan(PlanID(plan))?.attachments.first { $0.id == Self.chart }?.origin?.view.key
            }
        }
        func read(_ view: SongView?, everywhere: Bool = false) throws {
            try stage.library.plans.read(
                SongID("77"), as: view, in: PlanID("1"), isEverywhere: everywhere, at: stage.clock.timestamp)
        }
        try read(SongView(key: "E"))
        #expect(try keys() == ["E", "A"])
        try read(SongView(key: "F"), everywhere: true)
        #expect(try keys() == ["F", "F"])
        try read(SongView(key: "G"))
        #expect(try keys() == ["G", "F"])
        try read(nil)
        #expect(try keys() == ["A", "F"], "as the plan has it, whatever holds for the others")
        try read(nil, everywhere: true)
        #expect(try keys() == ["A", "A"])
        #expect(try stage.library.plans.read(SongID("none"), as: nil, in: PlanID("1"), at: stage.clock.timestamp) == nil)
    }

    @LoopActor private static func threeSongs() throws -> Stage {
        let stage = try Self.stage()
        stage.service.plans[0].songs += ["78", "79"].map { SmallService.Song(id: $0, title: "Song \($0)", text: "[C]La") }
        stage.service.plans[0].charts = []
        return stage
    }

    @Test @LoopActor func chartsThatGiveWayToTheServicesAreNoLoss() async throws {
        let stage = try Self.threeSongs()
        await stage.sync()
        for place in 0..<3 {
            stage.service.plans[0].songs[place].chart = SmallService.Chart(
                id: "p\(place)", name: "Song \(place)", bytes: SmallService.pdf("\(place)"))
        }
        await stage.sync()
        #expect(try stage.library.plans.heldBack().isEmpty)
        #expect(try stage.library.plans.plan(PlanID("1"))?.attachments.map(\.id.text) == ["p0", "p1", "p2"])
    }

    /// If an answer lacks the texts or the songs, no chart is hidden before a person accepts that.
    @Test(arguments: [false, true]) @LoopActor func chartsWhoseWordsVanishAreKept(hasItems: Bool) async throws {
        let stage = try Self.threeSongs()
        await stage.sync()
        if hasItems {
            for place in 0..<3 { stage.service.plans[0].songs[place].text = "" }
        } else {
            stage.service.plans[0].songs = []
        }
        await stage.sync()
        #expect(try stage.library.plans.heldBack().map(\.plan.id) == [PlanID("1")])
        #expect(try stage.library.plans.plan(PlanID("1"))?.attachments.count == 3)
    }

    @Test @LoopActor func marksThatWereMadeInOneKeyAreRightInAnother() async throws {
        let stage = try Self.stage()
        await stage.sync()
        let former = try #require(try Self.attachment(stage))
        let hash = try #require(try stage.library.charts.chart(of: former.use)?.hash)
        stage.service.layers["1"] = [SmallService.layer("L", on: Self.chart.text, pages: [0])]
        await stage.sync()
        // As if the layer came from a file drawn on this very chart.
        try stage.library.database.run("UPDATE layers SET marked_on = ? WHERE id = 'L'", [.hash(hash)])
        stage.service.plans[0].songs[0].key = "Bb"
        await stage.sync()
        #expect(try stage.library.olderMarks.all().isEmpty)
        stage.service.plans[0].songs[0].text += "\n[D]how sweet"
        await stage.sync()
        #expect(try stage.library.olderMarks.all().map(\.attachment) == [Self.chart], "another text is another matter")
    }

    @Test @LoopActor func whatIsNotUnderstoodIsKeptWithTheChart() async throws {
        let stage = try Self.stage()
        stage.songs.remarks = { _ in ["Line 2: 'Xyz' is no known chord."] }
        await stage.sync()
        let chart = try #require(try Self.attachment(stage).flatMap { try stage.library.charts.chart(of: $0.use) })
        #expect(try stage.library.songs.remarks(on: chart.hash) == ["Line 2: 'Xyz' is no known chord."])
    }
}
