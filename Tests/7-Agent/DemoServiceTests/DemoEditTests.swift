import DemoService
import Foundation
import StandInSupport
import TestSupport
import Testing

/// The edits that colleagues can make, and where each change appears.
@Suite(.timeLimit(.minutes(5)))
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
        try stand.service.edit(.replaceChart(attachment: chart.id, bytes: Array(bytes)))
        let after = try stand.attachment("Down by the Riverside")
        #expect(after["attributes"]["file_size"].number == bytes.count)
        #expect(after["attributes"]["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(try HTTPProbe.send("GET", stand.open(chart.id)).body == Array(bytes))
        #expect(try stand.api("GET", plan).body == planBefore.body)

        // A second change within the same second gets a later time, too.
        let other = try stand.attachment("Amazing Grace - violin").id
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","other":"\#(other)"}"#).status == 200)
        let again = try stand.attachment("Down by the Riverside")
        #expect(again["attributes"]["updated_at"].text == "2026-11-21T12:00:01Z")
        #expect(try HTTPProbe.send("GET", stand.open(chart.id)).body == HTTPProbe.send("GET", stand.open(other)).body)
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","other":"riverside-lead"}"#).status == 200)
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
        #expect(try stand.edit(#"{"edit":"replace-chart","attachment":"\#(chart.id)","other":"riverside-lead"}"#).status == 200)
        #expect(try arrangement(id) == "2026-11-21T12:00:00Z")
        #expect(before != nil && before != "2026-11-21T12:00:00Z")
    }

    @Test func marksAreAdded() throws {
        let stand = try Stand()
        let id = "riverside-lead-117"
        let before = try layer(stand, id)
        let count = before["marks"].list.count
        #expect(try stand.edit(#"{"edit":"add-mark","layer":"\#(id)","page":2}"#).status == 200)
        let added = try layer(stand, id)
        let mark = try #require(added["marks"].list.last)
        #expect(added["marks"].list.count == count + 1)
        #expect(mark["page"].number == 1)
        #expect(mark["kind"].text == "ellipse")
        #expect(added["revision"].number == 2)
        #expect(added["updated_at"].text == "2026-11-21T12:00:00Z")
    }

    @Test func markIsAddedAsGiven() throws {
        let stand = try Stand()
        let mine = #"{"id":"mine","page":0,"kind":"text","text":"Zäh \"x\"","future":[1.5,null]}"#
        let text = mine.replacing("\"", with: "\\\"").replacing("\\\\\"", with: "\\\\\\\"")
        let body = #"{"edit":"add-mark","layer":"riverside-lead-104","page":1,"mark":"\#(text)"}"#
        #expect(try stand.edit(body).status == 200)
        #expect(try stand.edit(body).status == 400)
        let mark = try #require(try layer(stand, "riverside-lead-104")["marks"].list.last)
        #expect(mark.id == "mine")
        #expect(mark["text"].text == "Zäh \"x\"")
        #expect(mark["future"].list.count == 2)
    }

    @Test func shrunkPlanLosesItemsAndTheirCharts() throws {
        let stand = try Stand()
        let before = try items(stand)
        #expect(try stand.service.edit(.shrinkPlan(plan: "67810002", keep: 2)) == "dropped 8 of 10 items of plan 67810002")
        #expect(try items(stand).map(\.id) == before.prefix(2).map(\.id))
        let names = try stand.api("GET", plan + "/all_attachments").json["data"].list.compactMap { $0["attributes"]["filename"].text }
        #expect(Set(names) == ["Piano Album.pdf", "Order of service.docx"])
    }

    @Test func renamedThingsAreNewer() throws {
        let stand = try Stand()
        let item = try items(stand)[0]
        try stand.service.edit(.renamePlan(plan: "67810002", title: "Harvest"))
        try stand.service.edit(.renameItem(item: item.id, title: "BEFORE"))
        #expect(stand.changes.count == 2)
        let plan = try stand.api("GET", plan).json["data"]["attributes"]
        #expect(plan["title"].text == "Harvest")
        #expect(plan["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(try items(stand)[0]["attributes"]["title"].text == "BEFORE")
    }

    @Test(arguments: [
        (#"{"edit":"move-item","item":"1","position":0}"#, 404, "91230001"),
        (#"{"edit":"move-item","item":"91230001","position":99}"#, 400, "counted from 0"),
        (#"{"edit":"move-item","item":"91230001"}"#, 400, "`position` is missing"),
        (#"{"edit":"move-item","item":7,"position":0}"#, 400, "`item`"),
        (#"{"edit":"replace-chart","attachment":"1","other":"piano-album"}"#, 404, "790739"),
        (#"{"edit":"replace-chart","attachment":"79073901","other":"nothing"}"#, 404, "piano-album"),
        (#"{"edit":"add-mark","layer":"none","page":1}"#, 404, "riverside-lead-104"),
        (#"{"edit":"add-mark","layer":"riverside-lead-104","page":1,"mark":"[1]"}"#, 400, "not a JSON object"),
        (#"{"edit":"add-mark","layer":"riverside-lead-104","page":0}"#, 400, "`page`"),
        (#"{"edit":"paint"}"#, 400, "move-item"),
        ("nonsense", 400, "move-item"),
    ]) func wrongEditSaysWhatIsWrongAndChangesNothing(body: String, status: Int, words: String) throws {
        let stand = try Stand()
        let before = stand.service.state
        let reply = try stand.edit(body)
        #expect(reply.status == status)
        #expect(reply.text.contains(words))
        #expect(stand.service.state == before)
        #expect(stand.changes.isEmpty)
    }

    @Test func offerNamesWhatEditsName() throws {
        let stand = try Stand()
        let offer = try HTTPProbe.send("GET", stand.service.controlURL + "/offer").json
        let parts = offer["parts"].list
        #expect(parts.map { $0["heading"].text } == ["Items of plans", "Charts", "Layers of marks"])
        #expect(parts.allSatisfy { !$0["rows"].list.isEmpty && $0["command"].text != nil })
        #expect(offer["charts"]["riverside-lead-117"].text == (try stand.attachment("Down by the Riverside")).id)
        #expect(try HTTPProbe.send("GET", stand.service.controlURL + "/other").status == 404)
        // A demo whose plans are all past offers no edits.
        stand.pass(30 * 86_400)
        #expect(try HTTPProbe.send("GET", stand.service.controlURL + "/offer").json["parts"].list.isEmpty)
    }
}
