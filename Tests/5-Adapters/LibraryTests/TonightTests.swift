import BandLayout
import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// What is changed in a plan for one evening: where it holds, where it does not, and when it ends.
@Suite(.onLoop)
struct TonightTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private let x = Samples.attachment("x")
    private let plan = PlanID("1")
    private let now = Samples.monday

    /// A plan with two songs, and one of before with another song, all of whose charts are here.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update(
            [Samples.contents("1", day: 1, attachments: [a, b]), Samples.contents("0", day: -3, attachments: [x])], at: now)
        for chart in [a, b, x] { try library.download(Samples.pdf(chart.filename), for: chart) }
        return library
    }

    @LoopActor private func add(_ chart: Attachment, to library: Library, at number: Int = 0) throws -> TonightOutcome {
        let item = PlanItem(id: ItemID(""), sequence: 0, title: "Encore", keyName: "D", attachments: [chart])
        return try library.plans.change(.add(item, after: ItemID("1-1")), of: plan, at: number, now: now)
    }

    @Test @LoopActor func tonightsSetIsReadWhereverPlansAreUsedAndOutlastsARestart() throws {
        var library = try library()
        #expect(try add(x, to: library) == .kept)
        #expect(try library.plans.change(.leaveOut(ItemID("1-0"), true), of: plan, at: 1, now: now) == .kept)
        library.close()
        library = try Library(folder: home.path)
        let expected = ["b", "x"]
        #expect(try library.plans.plan(plan)?.attachments.map(\.id.text) == expected)
        #expect(try library.plans.all().first { $0.plan.id == plan }?.attachments.map(\.id.text) == expected)
        #expect(try library.plans.asKept([Samples.contents("1", attachments: [])]).first?.attachments.map(\.id.text) == expected)
        #expect(try library.plans.showing(x.id).map(\.plan.id) == [PlanID("0"), plan])
        #expect(try library.plans.asPlanned(plan)?.attachments.map(\.id.text) == ["a", "b"])
        // A chart that is left out may be on a stand.
        #expect(try library.plans.showing(a.id).first?.attachments.map(\.id.text) == ["a", "b"])
    }

    @Test @LoopActor func pollsCompareWithThePlanAndLeaveTonightsSetAlone() throws {
        let library = try library()
        _ = try add(x, to: library)
        let told = Samples.contents("1", day: 1, attachments: [a, b])
        #expect(try library.plans.update([told], at: now + .seconds(60)) == [], "an added chart is no change of the service's")
        let more = Samples.contents("1", day: 1, attachments: [a, b, Samples.attachment("c")])
        let changes = try library.plans.update([more], at: now + .seconds(120))
        #expect(changes.count == 1)
        #expect(try library.plans.plan(plan)?.attachments.map(\.id.text) == ["a", "b", "x", "c"])
    }

    @Test @LoopActor func aChangeOfAnotherStateIsRefused() throws {
        let library = try library()
        #expect(try add(x, to: library) == .kept)
        #expect(try add(x, to: library) == .overtaken)
        #expect(try library.plans.change(.remark(ItemID("none"), "x"), of: plan, at: 1, now: now) == .unknownItem)
        #expect(throws: LibraryError.unknownPlan(PlanID("9"))) {
            try library.plans.change(.asPlanned, of: PlanID("9"), at: 0, now: now)
        }
        #expect(try library.plans.plan(plan)?.items.count == 3)
    }

    /// The plan that an added chart comes from may be removed first.
    @Test @LoopActor func anAddedChartStaysAsLongAsItIsAdded() throws {
        let library = try library()
        _ = try add(x, to: library)
        try library.plans.pin(plan)
        try library.plans.change(.remark(ItemID("1-0"), "slowly"), of: plan, at: 1, now: now)
        let removed =
            try library.prune(now: now, keptAfter: .zero, isTrusted: true)
            + library.prune(now: now + .seconds(86_400), keptAfter: .zero, isTrusted: true)
        #expect(removed == [])
        #expect(try library.plans.plan(PlanID("0")) == nil)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
    }

    @Test @LoopActor func anAddedSongOfABookOpensAtItsPage() throws {
        let library = try library()
        var item = PlanItem(id: ItemID(""), sequence: 0, title: "So What", attachments: [x])
        item.start = PageIndex(11)
        #expect(try library.plans.change(.add(item, after: nil), of: plan, at: 0, now: now) == .kept)
        #expect(try library.plans.plan(plan)?.items.map(\.start) == [PageIndex(11), nil, nil])
    }

    @Test @LoopActor func aMissingChartOfTonightIsWanted() throws {
        let library = try library()
        _ = try add(Samples.attachment("y"), to: library)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()).map(\.id.text) == ["y"])
    }

    /// A newer program may have written what this one cannot read.
    @Test(arguments: ["", "{", "[]", #"{"number":7,"order":["b","a"]}"#])
    @LoopActor func aSetThatCannotBeReadChangesNothingAndIsReplacedByWhoeverHasSeenThat(text: String) throws {
        let library = try library()
        _ = try add(x, to: library)
        try library.database.run("UPDATE tonight_sets SET edits = ?", [.text(text)])
        let shown = try #require(try library.plans.plan(plan))
        #expect(shown.items == (try library.plans.asPlanned(plan))?.items && shown.tonight?.isUnreadable == true)
        #expect(try library.plans.all().count == 2 && library.plans.showing(a.id).count == 1)
        // Pages that show what cannot be read, or nothing of it.
        for number in [0, 1] { #expect(try add(x, to: library, at: number) == .overtaken) }
        #expect(try library.database.row("SELECT edits FROM tonight_sets") { $0.text(0) } == text)
        let seen = try #require(shown.tonight?.number)
        #expect(try add(x, to: library, at: seen) == .kept)
        #expect(try library.plans.plan(plan)?.attachments.map(\.id.text) == ["a", "b", "x"])
    }

    @Test @LoopActor func tonightsSetEndsWithThePlan() throws {
        let library = try library()
        _ = try add(x, to: library)
        try library.plans.pin(plan)
        let later = now + .seconds(4 * 86_400)
        _ = try library.prune(now: later, isTrusted: true)
        #expect(try library.plans.plan(plan)?.tonight?.differs == true, "one poll may have had a wrong time")
        _ = try library.prune(now: later + .seconds(86_400), isTrusted: true)
        #expect(try library.plans.plan(plan) == library.plans.asPlanned(plan))
        #expect(try library.plans.tonightSet(of: plan) == nil)
    }

    @Test @LoopActor func linksGoByTonightsSet() throws {
        let library = try library()
        _ = try add(x, to: library)
        _ = try library.plans.change(.leaveOut(ItemID("1-0"), true), of: plan, at: 1, now: now)
        _ = try library.linkCharts(into: home.path("music"))
        let folder = try #require(try Folder.names(in: home.path("music")).last)
        #expect(try Folder.names(in: home.path("music/" + folder)).count == 2)
    }

    // MARK: - What others offer

    /// What Ben, who has another library, offers for a plan: an encore that he adds.
    @LoopActor private func head(offering chart: String, for plan: String = "1") throws -> BandHead {
        var head = BandHead(device: BandDevice("benbenbenbenbenb"), counter: 1, person: "Ben", name: "laptop")
        head.offers = [
            try #require(
                TonightOffer(
                    of: plan,
                    [
                        .init(ItemID("1-1"), isMoved: true), .init(ItemID("1-0"), isLeftOut: true),
                        .init(ItemID("tonight-1"), title: "Encore", isAdded: true, chart: AttachmentID(chart)),
                    ]))
        ]
        return head
    }

    @Test @LoopActor func whatSomebodyOffersReplacesTonightsSet() throws {
        let library = try library()
        #expect(try add(b, to: library) == .kept)
        let offered = try #require(try library.offers(of: plan, in: [head(offering: "x")], at: now).first)
        #expect(offered.name == "Ben" && offered.tonight.words == "1 left out, 1 added, 1 moved" && offered.lacks == [])
        #expect(try library.plans.change(offered.edit, of: plan, at: 0, now: now) == .overtaken)
        #expect(try library.plans.change(offered.edit, of: plan, at: 1, now: now) == .kept)
        #expect(try library.plans.plan(plan)?.attachments.map(\.id.text) == ["b", "x"])
        #expect(try library.offers(of: plan, in: [head(offering: "x")], at: now).map(\.state) == [.used])
        #expect(try add(b, to: library, at: 2) == .kept, "an item that is added later has another id")
    }

    @Test @LoopActor func whatIsOfferedForOtherPlansOrTooLateIsNotSeen() throws {
        let library = try library()
        #expect(try library.offers(of: plan, in: [head(offering: "x", for: "2")], at: now) == [])
        #expect(try library.offers(of: plan, in: [head(offering: "x")], at: now + .seconds(4 * 86_400)) == [])
        #expect(try library.offers(of: plan, in: [head(offering: "none")], at: now).map(\.lacks) == [["Encore"]])
    }

    @Test @LoopActor func keysOfBeforeComeBackWhenAnOfferIsUsed() throws {
        let library = try library()
        let text = SongText("[G]La", title: "Grace", key: "G")
        try library.songs.keep(text, as: text.digest)
        var contents = Samples.contents("1", day: 1, attachments: [a, b])
        contents.items[0].song = ItemSong(SongID("77"), title: "Grace", text: text.digest, isShown: false)
        try library.plans.update([contents], at: now)
        try library.plans.read(SongID("77"), as: SongView(key: "F"), in: plan, at: now)
        _ = try library.plans.change(.read(ItemID("1-0"), former: nil), of: plan, at: 0, now: now)
        let offered = try #require(try library.offers(of: plan, in: [head(offering: "x")], at: now).first)
        #expect(try library.plans.change(offered.edit, of: plan, at: 1, now: now) == .kept)
        #expect(try library.songs.view(of: SongID("77"), in: plan) == nil)
    }

    @Test @LoopActor func aSongThatIsReadOtherwiseIsReadAsBeforeAgain() throws {
        let library = try library()
        let text = SongText("[G]La", title: "Grace", key: "G")
        try library.songs.keep(text, as: text.digest)
        var contents = Samples.contents("1", day: 1, attachments: [a, b])
        contents.items[0].song = ItemSong(SongID("77"), title: "Grace", text: text.digest, isShown: false)
        try library.plans.update([contents], at: now)
        try library.plans.read(SongID("77"), as: SongView(capo: 2), in: plan, at: now)
        let former = try library.songs.view(of: SongID("77"), in: plan)
        try library.plans.read(SongID("77"), as: SongView(key: "F"), in: plan, at: now)
        #expect(try library.plans.change(.read(ItemID("1-0"), former: former), of: plan, at: 0, now: now) == .kept)
        #expect(try library.plans.plan(plan)?.tonight?.words == "1 in another key")
        #expect(try library.plans.change(.asPlanned, of: plan, at: 1, now: now) == .kept)
        #expect(try library.songs.view(of: SongID("77"), in: plan) == SongView(capo: 2))
        #expect(try library.plans.plan(plan)?.items[0].attachments.first?.origin?.view.capo == 2)
    }
}
