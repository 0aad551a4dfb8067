import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// The words and chords of songs, as the service sends them.
@Suite(.onLoop) struct SongTextTests {
    /// One song in B flat; `arrangement` and `item` add attributes.
    private static func items(_ arrangement: String, _ item: String = "") -> String {
        #"""
        {"data":[{"type":"Item","id":"302","attributes":{"title":"Amazing Grace (reprise)","sequence":2,"item_type":"song","key_name":"Bb"\#(item)},
         "relationships":{"song":{"data":{"type":"Song","id":"11"}},"arrangement":{"data":{"type":"Arrangement","id":"21"}},
          "key":{"data":{"type":"Key","id":"31"}}}}],
        "included":[{"type":"Song","id":"11","attributes":{"title":"Amazing Grace","author":"John Newton","copyright":"Public Domain"}},
        {"type":"Arrangement","id":"21","attributes":{"name":"Default","bpm":76,"meter":"3/4",\#(arrangement)}}],"meta":{"total_count":1}}
        """#
    }

    private static let chords = #""chord_chart":"VERSE 1\r\n[G]Amazing grace","chord_chart_key":"G""#

    fileprivate static func attachment(_ kind: String, of owner: String = "Key", id: String = "31") -> String {
        #"""
        {"type":"Attachment","id":"a","attributes":{"filename":"grace.pdf","content_type":"application/pdf","pco_type":"\#(kind)",
         "file_size":0},"relationships":{"attachable":{"data":{"type":"\#(owner)","id":"\#(id)"}}}}
        """#
    }

    @LoopActor fileprivate func contents(
        _ arrangement: String = chords, _ attachments: [String] = [], item: String = "", rules: ChartChoice.Rules = ChartChoice.Rules()
    ) async throws -> PlanContents {
        let service = Service(choice: ChartChoice(usual: rules))
        service.network.route(.get, Service.items, Self.items(arrangement, item))
        service.network.route(.get, Service.attachments, #"{"data":[\#(attachments.joined(separator: ","))]}"#)
        return try await service.client.contents(of: Service.plan)
    }

    @Test @LoopActor func aSongHasAllThatTheServiceSaysOfItsText() async throws {
        let told = try await contents(
            Self.chords
                + #","chord_chart_columns":2,"chord_chart_font_size":14,"print_page_size":"Letter","sequence":["Verse 1","Chorus",2]"#)
        let text = SongText(
            "VERSE 1\r\n[G]Amazing grace", title: "Amazing Grace", key: "G", author: "John Newton", copyright: "Public Domain", tempo: 76,
            meter: "3/4", order: ["Verse 1", "Chorus", "2"], columns: 2, size: 14, paper: .letter)
        #expect(told.texts == [text])
        let song = ItemSong(SongID("21"), title: "Amazing Grace", text: text.digest, isShown: true)
        #expect(told.items.map(\.song) == [song], "the song's title, not the item's: it is the same in all plans")
    }

    @Test @LoopActor func aTextIsAnotherOneWithDiagrams() async throws {
        let texts = try await contents(rules: ChartChoice.Rules(diagrams: .ukulele)).texts
        #expect(texts.map(\.diagrams) == [.ukulele])
        #expect(try await contents().texts.map(\.digest) != texts.map(\.digest))
    }

    /// The item states what is played this Sunday, so its order counts.
    @Test(arguments: [
        (#","custom_arrangement_sequence":["Chorus","Chorus"]"#, ["Chorus", "Chorus"]),
        (#","custom_arrangement_sequence":[]"#, ["Verse 1"]),
        (#","custom_arrangement_sequence":null"#, ["Verse 1"]),
    ])
    @LoopActor func theOrderIsThatOfTheItem(item: String, order: [String]) async throws {
        #expect(try await contents(Self.chords + #","sequence":["Verse 1"]"#, item: item).texts.map(\.order) == [order])
    }

    /// Values that contain no text are treated like a missing text.
    @Test(arguments: [
        #""chord_chart":null"#, #""chord_chart":"""#, #""chord_chart":" \n\t""#, #""chord_chart":true"#, #""lyrics":"Amazing grace""#,
    ])
    @LoopActor func withoutATextThereIsNone(arrangement: String) async throws {
        let told = try await contents(arrangement)
        #expect(told.texts.isEmpty && told.items.map(\.song) == [nil])
    }

    @Test @LoopActor func oddAttributesSayNothing() async throws {
        let told = try await contents(
            Self.chords
                + #","chord_chart_columns":9,"chord_chart_font_size":1e9,"print_page_size":7,"sequence":"Verse 1","chord_chart_key":"""#)
        #expect(told.texts.map(\.columns) == [nil] && told.texts.map(\.size) == [nil] && told.texts.map(\.order) == [[]])
    }

    @Test(arguments: [
        ("AttachmentS3", false), ("AttachmentChart::Chord", false), ("AttachmentChartPro", false), ("AttachmentChart::Lyric", true),
    ])
    @LoopActor func onlyASongWithoutAChartThatHasChordsIsDrawnUnasked(kind: String, isShown: Bool) async throws {
        let told = try await contents(Self.chords, [Self.attachment(kind)])
        #expect(told.items.map { $0.song?.isShown } == [isShown])
    }

    @Test @LoopActor func whoWantsNothingThatNobodyUploadedGetsNothing() async throws {
        let told = try await contents(Self.chords, rules: ChartChoice.Rules(generated: []))
        #expect(told.items.map { $0.song?.isShown } == [false])
    }

    /// A musician whose rules ask for words alone, or for drum parts, does not want drawn chord charts.
    @Test(arguments: [
        ChartChoice.Rules(generated: [.lyricChart]), ChartChoice.Rules(include: [FilenamePattern("*drum*")]),
        ChartChoice.Rules(owners: [.song]),
        ChartChoice.Rules(exclude: [FilenamePattern("*.pdf")]),
    ])
    @LoopActor func rulesThatLeaveOutChordChartsLeaveOutDrawnOnes(rules: ChartChoice.Rules) async throws {
        #expect(try await contents(Self.chords, rules: rules).items.map { $0.song?.isShown } == [false])
    }

    @Test @LoopActor func whatTheMusicianLeftOutIsAChartAllTheSame() async throws {
        let rules = ChartChoice.Rules(exclude: [FilenamePattern("grace*")])
        let told = try await contents(Self.chords, [Self.attachment("AttachmentS3")], rules: rules)
        #expect(told.attachments.isEmpty && told.items.map { $0.song?.isShown } == [false])
    }

    @Test @LoopActor func ownChartsStandInPlaceOfTheServices() async throws {
        let rules = ChartChoice.Rules(generated: [.own, .chordChartPro])
        let told = try await contents(Self.chords, [Self.attachment("AttachmentChart::Chord")], rules: rules)
        #expect(told.attachments.isEmpty && told.items.map { $0.song?.isShown } == [true])
        #expect(told.leftOut.map(\.reason) == [.notChosen(rule: "own charts in place of the service's chord charts")])
        // Without words and chords, the service's chart is the only one.
        let bare = try await contents(#""chord_chart":null"#, [Self.attachment("AttachmentChart::Chord")], rules: rules)
        #expect(bare.attachments.map(\.id.text) == ["a"])
        let uploaded = try await contents(Self.chords, [Self.attachment("AttachmentS3")], rules: rules)
        #expect(uploaded.attachments.count == 1 && uploaded.items.map { $0.song?.isShown } == [true])
    }
}

/// A file with words and chords counts as a chart, because a chart is drawn from it.
extension SongTextTests {
    @Test(arguments: [
        ("Grace.cho", "application/octet-stream", true), ("Grace.CHOPRO", "text/plain", true), ("Grace.pro", "text/plain", true),
        ("Slides.pro", "application/octet-stream", false), ("Grace.txt", "text/plain", false), ("Grace.cho.mp3", "audio/mpeg", false),
    ])
    @LoopActor func aFileOfASongIsAChartInTheItemsKey(name: String, type: String, isChart: Bool) async throws {
        let file = Self.attachment("AttachmentS3", of: "Arrangement", id: "21").replacing("grace.pdf", with: name)
            .replacing("application/pdf", with: type)
        let told = try await contents(#""chord_chart":null"#, [file])
        #expect(told.attachments.map(\.filename) == (isChart ? [name] : []))
        #expect(told.attachments.map(\.isSong) == (isChart ? [true] : []))
        #expect(told.attachments.compactMap { SheetOrigin($0.generatedFrom)?.view.key } == (isChart ? ["Bb"] : []))
        // With diagrams, it is drawn anew.
        let other = try await contents(#""chord_chart":null"#, [file], rules: ChartChoice.Rules(diagrams: .guitar))
        #expect((other.attachments.map(\.generatedFrom) == told.attachments.map(\.generatedFrom)) == !isChart)
    }
}
