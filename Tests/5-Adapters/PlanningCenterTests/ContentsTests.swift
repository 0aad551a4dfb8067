import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct ContentsTests {
    private static let items = #"""
        {"links":{"self":"x"},"data":[
        {"type":"Item","id":"302","attributes":{"title":"Amazing Grace","sequence":2,"item_type":"song","key_name":"Bb",
          "length":240,"service_position":"during","custom_arrangement_sequence":null,"updated_at":"2026-11-02T10:00:00Z"},
         "relationships":{"plan":{"data":{"type":"Plan","id":"5001"}},"song":{"data":{"type":"Song","id":"11"}},
          "arrangement":{"data":{"type":"Arrangement","id":"21"}},"key":{"data":{"type":"Key","id":"31"}}}},
        {"type":"Item","id":301,"attributes":{"title":"Welcome","sequence":1,"item_type":"header","key_name":null},
         "relationships":{"song":{"data":null},"arrangement":{"data":null},"key":{"data":null}}},
        {"type":"Item","id":"303","attributes":{"title":"Offertory","sequence":3,"item_type":"item"},"relationships":null}],
        "included":[{"type":"Song","id":"11","attributes":{"title":"Amazing Grace"}},
        {"type":"Arrangement","id":"21","attributes":{"name":"Default","updated_at":"2026-10-01T08:00:00Z","chord_chart":null}},
        {"type":"Key","id":"31","attributes":{"name":"Bb","starting_key":"Bb","updated_at":"2026-10-01T08:00:00Z"}}],
        "meta":{"total_count":3,"count":3,"can_include":["arrangement","key","song"]}}
        """#

    private static func attachment(
        _ id: String, _ filename: String, kind: String = "AttachmentS3", type: String = #""application/pdf""#,
        of owner: String = #"{"type":"Song","id":"11"}"#, more: String = #""page_order":null"#
    ) -> String {
        #"""
        {"type":"Attachment","id":\#(id),"attributes":{"filename":"\#(filename)","display_name":"shown","content_type":\#(type),
        "file_size":81234,"filetype":"pdf","pco_type":"\#(kind)","downloadable":true,"has_preview":true,
        "url":"https://services.example.org/page","thumbnail_url":null,"updated_at":"2026-11-01T10:00:00Z",\#(more)},
        "relationships":{"attachable":{"data":\#(owner)}}}
        """#
    }

    @LoopActor private func contents(
        _ attachments: [String], items: String = items, choice: ChartChoice = ChartChoice()
    ) async throws -> PlanContents {
        let service = Service(choice: choice)
        service.network.route(.get, Service.items, items)
        service.network.route(
            .get, Service.attachments, #"{"data":[\#(attachments.joined(separator: ","))],"included":[],"links":{},"meta":{}}"#)
        return try await service.client.contents(of: Service.plan)
    }

    @Test(arguments: [
        ("9223372036854775807", 0), ("-9223372036854775808", 0), ("-1", 0), ("1e30", 0), ("\"much\"", 0), ("null", 0),
        ("1125899906842624", 1 << 50), ("\"81235\"", 81235),
    ])
    @LoopActor func aSizeThatNoFileCanHaveSaysNothing(told: String, size: Int) async throws {
        let file = Self.attachment("1", "grace.pdf").replacing("81234", with: told)
        #expect(try await contents([file]).attachments.map(\.fileSize) == [size])
    }

    /// The tempo may be a number or a text; an unplayable tempo is ignored.
    @Test(arguments: [
        ("76", 76), ("76.0", 76), ("72.5", 72), ("\"72.5\"", 72), ("0", nil), ("-4", nil), ("1e9", nil), ("null", nil), ("\"fast\"", nil),
    ])
    @LoopActor func aSongHasTheTempoOfItsArrangement(told: String, tempo: Int?) async throws {
        let items = Self.items.replacing(#""name":"Default","#, with: #""name":"Default","bpm":\#(told),"#)
        #expect(try await contents([], items: items).items.map(\.tempo) == [nil, tempo, nil])
    }

    @Test @LoopActor func itemsStandInTheirRunningOrder() async throws {
        let contents = try await contents([])
        #expect(contents.items.map(\.id.text) == ["301", "302", "303"])
        #expect(contents.items.map(\.title) == ["Welcome", "Amazing Grace", "Offertory"])
        #expect(contents.items.map(\.keyName) == ["", "Bb", ""])
    }

    @Test @LoopActor func anItemShowsWhatHangsOnItOrItsSongArrangementOrKey() async throws {
        let contents = try await contents([
            Self.attachment(#""1""#, "key.pdf", of: #"{"type":"Key","id":"31"}"#),
            Self.attachment("2", "item.pdf", of: #"{"type":"Item","id":"302"}"#),
            Self.attachment(#""3""#, "other song.pdf", of: #"{"type":"Song","id":"12"}"#),
            Self.attachment(#""4""#, "arrangement.pdf", of: #"{"type":"Arrangement","id":"21"}"#),
            Self.attachment(#""5""#, "plan.pdf", of: #"{"type":"Plan","id":"5001"}"#),
            Self.attachment(#""6""#, "song.pdf"), Self.attachment(#""7""#, "nobody's.pdf", of: "null"),
            // The same number with another type identifies something else.
            Self.attachment(#""8""#, "media.pdf", of: #"{"type":"Media","id":"302"}"#),
        ])
        #expect(contents.items[1].attachments.map(\.filename) == ["key.pdf", "item.pdf", "arrangement.pdf", "song.pdf"])
        #expect(contents.items[1].attachments.map(\.id.text) == ["1", "2", "4", "6"])
        #expect(contents.items[0].attachments.isEmpty && contents.items[2].attachments.isEmpty)
    }

    @Test @LoopActor func onlyPDFsAreCharts() async throws {
        let contents = try await contents([
            Self.attachment(#""1""#, "a.PDF", type: #""application/octet-stream""#),
            Self.attachment(#""2""#, "b", type: #""Application/PDF; charset=binary""#),
            Self.attachment(#""3""#, "c.mp3", type: #""audio/mpeg""#), Self.attachment(#""4""#, "d.pdf", type: "null"),
            Self.attachment(#""5""#, "video.pdf", kind: "AttachmentYoutube"),
            Self.attachment(#""6""#, "mix", kind: "AttachmentRehearsalMixV2"),
            Self.attachment(#""7""#, "song.pdf", kind: "AttachmentSpotify"),
            Self.attachment(#""8""#, "gone.pdf", more: #""deleted_at":"2026-11-02T10:00:00Z""#),
        ])
        #expect(contents.attachments.map(\.id.text) == ["1", "2", "4"])
    }

    @Test(arguments: ["null", "[]", #""1,2,2,3""#, "[0,1]", "7", "true"]) @LoopActor
    func oddPageOrdersDoNoHarm(order: String) async throws {
        let contents = try await contents([Self.attachment(#""1""#, "a.pdf", more: #""page_order":\#(order)"#)])
        #expect(contents.attachments.count == 1)
    }

    @Test @LoopActor func anotherPageOrderIsAnotherVersion() async throws {
        var versions: Set<String> = []
        for order in ["null", "[]", "[2,1,0]", "\"2,1,0\"", "\"1,0,2\"", "[\"1\",\"0\",\"2\"]"] {
            let contents = try await contents([Self.attachment(#""1""#, "a.pdf", more: #""page_order":\#(order)"#)])
            versions.insert(try #require(contents.attachments.first).version)
        }
        #expect(versions.count == 3, "none, one order, another; a list and its text are the same")
    }

    @Test(arguments: ["AttachmentChart::Chord", "AttachmentChart::Lyric", "AttachmentChartPro"]) @LoopActor
    func aGeneratedChartChangesWithItsArrangementAndKey(kind: String) async throws {
        let chart = Self.attachment(
            #""chord_chart-550112--""#, "Amazing Grace", kind: kind, type: "null", of: #"{"type":"Arrangement","id":"21"}"#)
        let before = try #require(try await contents([chart]).attachments.first)
        #expect(before.isGenerated)
        #expect(before.contentType == "application/pdf")
        let edited = Self.items.replacing("\"name\":\"Default\",\"updated_at\":\"2026-10-01", with: "\"updated_at\":\"2026-10-02")
        let transposed = Self.items.replacing("\"key_name\":\"Bb\"", with: "\"key_name\":\"C\"")
        let moved = Self.items.replacing("\"sequence\":2", with: "\"sequence\":9")
        #expect(try await contents([chart], items: edited).attachments.first?.version != before.version)
        #expect(try await contents([chart], items: transposed).attachments.first?.version != before.version)
        #expect(try await contents([chart], items: moved).attachments.first?.version == before.version)
    }

    @Test @LoopActor func anUploadedChartDoesNotChangeWithTheKey() async throws {
        let chart = Self.attachment(#""1""#, "a.pdf")
        let transposed = Self.items.replacing("\"key_name\":\"Bb\"", with: "\"key_name\":\"C\"")
        #expect(try await contents([chart]).attachments == contents([chart], items: transposed).attachments)
    }

    @Test @LoopActor func listsThatAreNullAreEmpty() async throws {
        let contents = try await contents([], items: #"{"data":null,"included":null,"links":null}"#)
        #expect(contents.items.isEmpty)
    }

    @Test @LoopActor func anAnswerWithoutItsListIsNotAnEmptyPlan() async throws {
        let failure = await #expect(throws: ServiceFailure.self) { try await contents([], items: #"{"maintenance":true}"#) }
        #expect(failure?.description.contains("data is missing") == true)
    }

    @Test @LoopActor func aMissingIDIsNamedByItsPlace() async throws {
        let failure = await #expect(throws: ServiceFailure.self) {
            try await contents([Self.attachment(#""1""#, "a.pdf"), #"{"type":"Attachment","attributes":{}}"#])
        }
        #expect(failure?.name == "notUnderstood")
        #expect(failure?.description.contains("data[1].id is missing") == true)
    }

    /// Sharing a chart with a blank id would share all charts, or leave the band.
    @Test(arguments: [" ", "  ", "\\t"]) @LoopActor func noChartHasABlankID(id: String) async throws {
        let contents = try await contents([Self.attachment("\"\(id)\"", "blank.pdf"), Self.attachment(#""1""#, "a.pdf")])
        #expect(contents.attachments.map(\.filename) == ["a.pdf"] && contents.leftOut.isEmpty)
    }

    @Test @LoopActor func whatIsNotShownIsListedWithItsReason() async throws {
        let rules = ChartChoice.Rules(exclude: [FilenamePattern("*drums*")], owners: [.song, .item, .plan], generated: [.lyricChart])
        let choice = ChartChoice(byServiceType: [Service.plan.serviceType: rules])
        let contents = try await contents(
            [
                Self.attachment(#""1""#, "violin.pdf"), Self.attachment(#""2""#, "Drums.pdf"),
                Self.attachment(#""3""#, "b part.pdf", of: #"{"type":"Key","id":"31"}"#),
                Self.attachment(#""4""#, "c.mp3", type: #""audio/mpeg""#),
                Self.attachment(
                    #""5""#, "Chords", kind: "AttachmentChart::Chord", type: "null", of: #"{"type":"Song","id":"11"}"#),
                Self.attachment(#""6""#, "other.pdf", of: #"{"type":"Song","id":"12"}"#),
                Self.attachment(#""7""#, "kept back.pdf").replacing("\"downloadable\":true", with: "\"downloadable\":false"),
                Self.attachment(#""8""#, "gone.pdf", more: #""deleted_at":"2026-11-02T10:00:00Z""#),
            ], choice: choice)
        #expect(contents.attachments.map(\.filename) == ["violin.pdf"])
        #expect(contents.leftOut.map(\.filename) == ["Drums.pdf", "b part.pdf", "c.mp3", "Chords", "other.pdf", "kept back.pdf"])
        #expect(
            contents.leftOut.map(\.reason) == [
                .notChosen(rule: "exclude *drums*"), .notChosen(rule: "no files of the owner key"), .notAPDF,
                .notChosen(rule: "no generated charts of the kind chord-chart"), .ofNoItem(owner: "Song"),
                .noPermission,
            ])
        #expect(contents.leftOut.map(\.item) == ["Amazing Grace", "Amazing Grace", "Amazing Grace", "Amazing Grace", "", "Amazing Grace"])
    }

    @Test @LoopActor func thePlansOwnFilesStandAtItsEnd() async throws {
        let file = Self.attachment(#""5""#, "plan.pdf", of: #"{"type":"Plan","id":"5001"}"#)
        let contents = try await contents([file])
        #expect(contents.items.last?.attachments.map(\.filename) == ["plan.pdf"])
        #expect(contents.items.map(\.sequence) == [1, 2, 3, 4])
        let elsewhere = Self.attachment(#""5""#, "plan.pdf", of: #"{"type":"Plan","id":"5002"}"#)
        #expect(try await self.contents([elsewhere]).items.count == 3)
    }
}
