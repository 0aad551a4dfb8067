import DemoService
import Foundation
import TestSupport
import Testing

/// What colleagues can change, and how far a change shows.
@Suite(.timeLimit(.minutes(60)))
struct DemoEditTests {
    private let plan = "/service_types/501001/plans/67810002"

    private func items(_ stand: Stand) throws -> [Answer] {
        try stand.api("GET", plan + "/items?per_page=100").json["data"].list
    }

    private func layer(_ stand: Stand, _ id: String) throws -> Answer {
        try stand.annotations("GET", "/layers/\(id)").json["data"]["attributes"]
    }

    @Test func movedItemIsNewerAndItsPlanIsNot() throws {
        let stand = try Stand()
        let before = try items(stand)
        let planBefore = try stand.api("GET", plan)
        let moved = before[4]
        let reply = try stand.edit(#"{"edit":"move-item","item":"\#(moved.id)","position":1}"#)
        #expect(reply.status == 200)
        #expect(reply.text.contains("Holy, Holy, Holy"))
        let after = try items(stand)
        #expect(after.map(\.id) == [before[0].id, moved.id] + before[1...3].map(\.id) + before[5...].map(\.id))
        #expect(after[1]["attributes"]["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(after[0]["attributes"]["updated_at"].text == before[0]["attributes"]["updated_at"].text)
        #expect(try stand.api("GET", plan).body == planBefore.body)
        #expect(stand.changes == [reply.text.trimmingCharacters(in: .newlines)])
    }

    @Test func replacedChartHasOtherBytesAndALaterDate() throws {
        let stand = try Stand()
        let chart = try stand.attachment("Down by the Riverside")
        let planBefore = try stand.api("GET", plan)
        let bytes = Data("%PDF-1.4 another".utf8)
        #expect(
            try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","base64":"\#(bytes.base64EncodedString())"}"#).status
                == 200)
        let after = try stand.attachment("Down by the Riverside")
        #expect(after["attributes"]["file_size"].number == bytes.count)
        #expect(after["attributes"]["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(try HTTPProbe.send("GET", stand.open(chart.id)).body == Array(bytes))
        #expect(try stand.api("GET", plan).body == planBefore.body)

        // A second change within the same second is later, too.
        let other = try stand.attachment("Amazing Grace - violin").id
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","with":"\#(other)"}"#).status == 200)
        let again = try stand.attachment("Down by the Riverside")
        #expect(again["attributes"]["updated_at"].text == "2026-11-21T12:00:01Z")
        #expect(try HTTPProbe.send("GET", stand.open(chart.id)).body == HTTPProbe.send("GET", stand.open(other)).body)
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","with":"riverside-lead"}"#).status == 200)
    }

    @Test func replacedGeneratedChartMakesItsArrangementNewer() throws {
        let stand = try Stand()
        let path = "/service_types/501002/plans/67820001/items?include=arrangement&per_page=100"
        func arrangement(_ id: String) throws -> String? {
            try stand.api("GET", path).json["included"].list.first { $0.id == id }?["attributes"]["updated_at"].text
        }
        let chart = try stand.attachment("Swing Low")
        let id = chart["relationships"]["attachable"]["data"].id
        let before = try arrangement(id)
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","with":"riverside-lead"}"#).status == 200)
        #expect(try arrangement(id) == "2026-11-21T12:00:00Z")
        #expect(before != nil && before != "2026-11-21T12:00:00Z")
    }

    @Test func marksAreAddedChangedAndDeleted() throws {
        let stand = try Stand()
        let id = "riverside-lead-117"
        let before = try layer(stand, id)
        let count = before["marks"].list.count
        #expect(try stand.edit(#"{"edit":"add-mark","layer":"\#(id)","page":1}"#).status == 200)
        let added = try layer(stand, id)
        let mark = try #require(added["marks"].list.last)
        #expect(added["marks"].list.count == count + 1)
        #expect(mark["page"].number == 1)
        #expect(mark["kind"].text == "ellipse")
        #expect(added["revision"].number == 2)
        #expect(added["updated_at"].text == "2026-11-21T12:00:00Z")

        #expect(try stand.edit(#"{"edit":"change-mark","mark":"\#(mark.id)","members":{"color":"green"}}"#).status == 200)
        let changed = try layer(stand, id)
        #expect(changed["marks"].list.last?["color"].text == "green")
        #expect(changed["marks"].list.last?["points"].list.count == 2)
        #expect(changed["revision"].number == 3)

        #expect(try stand.edit(#"{"edit":"delete-mark","mark":"\#(mark.id)"}"#).status == 200)
        let deleted = try layer(stand, id)
        #expect(deleted["marks"].list.map(\.id) == before["marks"].list.map(\.id))
        #expect(deleted["revision"].number == 4)
    }

    @Test func markIsAddedAsGiven() throws {
        let stand = try Stand()
        let body =
            #"{"edit":"add-mark","layer":"riverside-lead-104","mark":{"id":"mine","page":0,"kind":"text","text":"Zäh \"x\"","future":[1.5,null]}}"#
        #expect(try stand.edit(body).status == 200)
        #expect(try stand.edit(body).status == 400)
        let mark = try #require(try layer(stand, "riverside-lead-104")["marks"].list.last)
        #expect(mark.id == "mine")
        #expect(mark["text"].text == "Zäh \"x\"")
        #expect(mark["future"].list.count == 2)
    }

    @Test func deletedLayerLeavesATrace() throws {
        let stand = try Stand()
        #expect(try stand.edit(#"{"edit":"delete-layer","layer":"riverside-lead-104"}"#).status == 200)
        let layer = try layer(stand, "riverside-lead-104")
        #expect(layer["deleted_at"].text == "2026-11-21T12:00:00Z")
        #expect(layer["marks"].list.isEmpty)
        #expect(try stand.edit(#"{"edit":"delete-layer","layer":"riverside-lead-104"}"#).status == 404)
    }

    @Test func shrunkPlanLosesItemsAndTheirCharts() throws {
        let stand = try Stand()
        let before = try items(stand)
        #expect(try stand.edit(#"{"edit":"shrink-plan","plan":"67810002","keep":2}"#).status == 200)
        #expect(try items(stand).map(\.id) == before.prefix(2).map(\.id))
        let names = try stand.api("GET", plan + "/all_attachments").json["data"].list.compactMap { $0["attributes"]["filename"].text }
        #expect(Set(names) == ["Piano Album.pdf", "Order of service.docx"])
    }

    @Test func renamedThingsAreNewer() throws {
        let stand = try Stand()
        let item = try items(stand)[0]
        #expect(try stand.edit(#"{"edit":"rename-plan","plan":"67810002","title":"Harvest"}"#).status == 200)
        #expect(try stand.edit(#"{"edit":"rename-item","item":"\#(item.id)","title":"BEFORE"}"#).status == 200)
        let plan = try stand.api("GET", plan).json["data"]["attributes"]
        #expect(plan["title"].text == "Harvest")
        #expect(plan["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(try items(stand)[0]["attributes"]["title"].text == "BEFORE")
    }

    /// As if nobody had ever done what came after: with the times and revisions of then.
    @Test func aServiceThatIsPutBackHasNeverHeardOfWhatCameAfter() throws {
        let stand = try Stand()
        #expect(try stand.edit(#"{"edit":"delete-mark","mark":"m104-0001"}"#).status == 200)
        let before = stand.service.listing
        #expect(try stand.edit(#"{"edit":"add-mark","layer":"riverside-lead-104"}"#).status == 200)
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"79073901","with":"piano-album"}"#).status == 200)
        #expect(try stand.edit(#"{"edit":"put-back","edits":4}"#).text.contains("3 edits"))
        #expect(try stand.edit(#"{"edit":"put-back","edits":2}"#).status == 200)
        #expect(stand.service.listing == before)
    }

    @Test(arguments: [
        (#"{"edit":"move-item","item":"1","position":0}"#, 404, "91230001"),
        (#"{"edit":"move-item","item":"91230001","position":99}"#, 400, "counted from 0"),
        (#"{"edit":"move-item","item":"91230001"}"#, 400, "`position` is missing"),
        (#"{"edit":"move-item","item":7,"position":0}"#, 400, "`item`"),
        (#"{"edit":"replace-chart","attachment":"1","with":"piano-album"}"#, 404, "790739"),
        (#"{"edit":"replace-chart","attachment":"79073901","with":"nothing"}"#, 404, "piano-album"),
        (#"{"edit":"replace-chart","attachment":"79073901","base64":"???"}"#, 400, "not base64"),
        (#"{"edit":"add-mark","layer":"none"}"#, 404, "riverside-lead-104"),
        (#"{"edit":"add-mark","layer":"riverside-lead-104","mark":"[1]"}"#, 400, "not a JSON object"),
        (#"{"edit":"delete-mark","mark":"none"}"#, 404, "m104-0001"),
        (#"{"edit":"shrink-plan","plan":"67810002","keep":50}"#, 400, "keep fewer"),
        (#"{"edit":"shrink-plan","plan":"1","keep":0}"#, 404, "67810001"),
        (#"{"edit":"set-times","plan":"67810002","starts":["soon"]}"#, 400, "soon"),
        (#"{"edit":"paint"}"#, 400, "move-item"),
        ("nonsense", 400, "move-item"),
    ]) func wrongEditSaysWhatIsWrongAndChangesNothing(body: String, status: Int, words: String) throws {
        let stand = try Stand()
        let before = stand.service.listing
        let reply = try stand.edit(body)
        #expect(reply.status == status)
        #expect(reply.text.contains(words))
        #expect(stand.service.listing == before)
        #expect(stand.changes.isEmpty)
    }

    @Test(arguments: [
        DemoEdit.moveItem(item: "1", position: 2), .replaceChart(attachment: "1", bytes: [0, 255, 7]),
        .replaceChartWith(attachment: "1", other: "x"), .addMark(layer: "l", page: 3, mark: nil),
        .addMark(layer: "l", page: 3, mark: #"{"id":"m"}"#), .changeMark(mark: "m", members: nil),
        .changeMark(mark: "m", members: #"{"width":0.1}"#), .deleteMark(mark: "m"), .deleteLayer(layer: "l"),
        .shrinkPlan(plan: "p", keep: 1), .setTimes(plan: "p", starts: ["2026-11-22T17:00:00Z"]), .renamePlan(plan: "p", title: "t"),
        .renameItem(item: "i", title: "t"), .putBack(edits: 2),
    ]) func editsTravelAsJSON(edit: DemoEdit) throws {
        #expect(try JSONDecoder().decode(DemoEdit.self, from: Data(edit.json)) == edit)
        #expect(DemoEdit.names.contains(edit.name))
    }

    @Test func editNeedsNoWayOverHTTP() throws {
        let stand = try Stand()
        #expect(try stand.service.edit(.renamePlan(plan: "67810002", title: "Harvest")).contains("Harvest"))
        #expect(stand.changes.count == 1)
        #expect(throws: DemoServiceError.self) { try stand.service.edit(.deleteMark(mark: "none")) }
    }

    @Test func listingNamesWhatEditsName() throws {
        let stand = try Stand()
        let listing = try HTTPProbe.send("GET", stand.service.controlURL + "/state").json
        #expect(listing["plans"].list.map(\.id) == ["67810001", "67810002", "67820001", "67810003"])
        #expect(listing["plans"].list.allSatisfy { !$0["items"].list.isEmpty && !$0["attachments"].list.isEmpty })
        #expect(listing["layers"].list.count == 11)
        #expect(listing["layers"].list.allSatisfy { !$0["marks"].list.isEmpty })
        #expect(listing["attachments"].list.count == 20)
        #expect(try HTTPProbe.send("GET", stand.service.controlURL + "/other").status == 404)
    }
}
