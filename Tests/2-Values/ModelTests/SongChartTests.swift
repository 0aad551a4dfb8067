import Model
import Testing

/// Which items get a chart that this program draws, and from which text and view of the song.
@Suite struct SongChartTests {
    private static let text = SongText("[G]La", title: "Grace", key: "G")
    private static let song = ItemSong(SongID("77"), title: "Grace", text: text.digest, isShown: true)

    private static func contents(_ song: ItemSong?, key: String = "A", attachments: [Model.Attachment] = []) -> PlanContents {
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"))
        let item = PlanItem(id: ItemID("i"), sequence: 1, title: "Grace", keyName: key, attachments: attachments, song: song)
        return PlanContents(plan: plan, items: [item])
    }

    @Test(arguments: [
        SongView(writing: .letters), SongView(key: "F#m", capo: 9, writing: .minorNumbers),
        SongView(key: "B♭ minor, more or less", capo: 3, writing: .german),
    ])
    func whatAChartIsDrawnFromIsReadAsItWasWritten(view: SongView) {
        let origin = SheetOrigin(song: Self.text.digest, view)
        #expect(SheetOrigin(origin.text) == origin)
    }

    @Test(arguments: [
        "", "sheet", "sheet 1", "2026-10-01T08:00:00Z Bb", "sheet 1 xyz 0 letters G", "sheet 1 \(text.digest.hex) 10 letters G",
        "sheet 1 \(text.digest.hex) -1 letters G", "sheet 1 \(text.digest.hex) 0 runes G", "sheet one \(text.digest.hex) 0 letters G",
    ])
    func anythingElseIsNot(text: String) { #expect(SheetOrigin(text) == nil) }

    @Test func aSongIsDrawnInTheItemsKeyUnlessAnotherWasChosen() {
        let shown = Self.contents(Self.song).drawing([:])
        #expect(shown.attachments.map(\.id) == [AttachmentID(drawnFrom: Self.song.id)])
        #expect(shown.attachments.first?.origin?.view == SongView(key: "A", writing: .letters))
        #expect(shown.drawing([:]) == shown, "it is the same when it is looked at again")
        let capo = shown.drawing([Self.song.id: SongView(capo: 2)])
        let followed = SongView(key: "A", capo: 2, writing: .letters)
        #expect(capo.attachments.map { $0.origin?.view } == [followed], "the key goes on following the plan's")
        let other = capo.drawing([Self.song.id: SongView(key: "E", capo: 3)])
        #expect(other.attachments.map { $0.origin?.view } == [SongView(key: "E", capo: 3, writing: .letters)])
        #expect(other.drawing([:]) == shown)
    }

    @Test(arguments: [(2, 2), (0, 0), (9, 9), (11, 0)])
    func aSongIsDrawnBehindTheCapoOfItsItemUnlessSomethingElseWasChosen(capo: Int, drawn: Int) {
        var plan = Self.contents(Self.song)
        plan.items[0].capo = capo
        func views(_ views: [SongID: SongView]) -> [SongView?] { plan.drawing(views).attachments.map { $0.origin?.view } }
        #expect(views([:]) == [SongView(key: "A", capo: drawn, writing: .letters)])
        #expect(views([Self.song.id: SongView()]) == [SongView(key: "A", writing: .letters)], "no capo is a choice, too")
        #expect(views([Self.song.id: SongView(capo: 3)]) == [SongView(key: "A", capo: 3, writing: .letters)])
    }

    @Test func chordsAreWrittenAsInTheSettingsUnlessAnotherWayWasChosen() {
        var song = Self.song
        song.writing = .german
        let plan = Self.contents(song)
        func writing(_ views: [SongID: SongView]) -> SongView.Writing? { plan.drawing(views).attachments.first?.origin?.view.writing }
        #expect(writing([:]) == .german)
        #expect(writing([song.id: SongView(key: "E")]) == .german, "another key is no other way to write")
        #expect(writing([song.id: SongView(writing: .numbers)]) == .numbers)
    }

    @Test func whereThereIsAnotherChartNobodyGetsASecondOneUnasked() {
        var song = Self.song
        song.isShown = false
        let theirs = Attachment(id: AttachmentID("1"), filename: "Grace.pdf")
        let plan = Self.contents(song, attachments: [theirs])
        #expect(plan.drawing([:]).attachments == [theirs])
        let asked = plan.drawing([song.id: SongView(key: "E")])
        #expect(asked.attachments.map(\.id) == [AttachmentID(drawnFrom: song.id), theirs.id], "what was asked for comes first")
        #expect(asked.drawing([:]) == plan)
        let also = asked.drawing([song.id: SongView()])
        #expect(also.attachments.map(\.id) == [theirs.id, AttachmentID(drawnFrom: song.id)], "in the plan's key, it is one more part")
        #expect(also.attachments.last?.origin?.view == SongView(key: "A", writing: .letters))
    }

    /// Songs that differ in any field have different digests, even if the fields read the same when they are joined.
    @Test func textsThatDifferHaveOtherDigests() {
        func drawn(_ diagrams: SongText.Diagrams) -> SongText {
            var text = SongText("a", title: "b")
            text.diagrams = diagrams
            return text
        }
        let texts = [
            SongText("a", title: "b"), SongText("ab", title: ""), SongText("a", title: "b", key: "C"),
            SongText("a", title: "b", author: "C"),
            SongText("a", title: "b", order: ["C"]), SongText("a", dialect: .chordPro, title: "b"), SongText("a", title: "b", size: 12),
            SongText("a", title: "b", columns: 2), drawn(.guitar), drawn(.piano),
            SongText("a", title: "b", paper: .letter), SongText("a", title: "b", order: ["C", ""]),
        ]
        #expect(Set(texts.map(\.digest)).count == texts.count)
    }
}
