import DemoService
import Foundation
import Model
import StandInSupport
import TestSupport
import Testing

/// Colleagues' changes to a song's words and key, and where they appear.
@Suite(.timeLimit(.minutes(5)))
struct DemoKeyTests {
    private let plan = "/service_types/501001/plans/67810002"

    private func item(_ title: String, _ stand: Stand) throws -> Answer {
        try #require(
            try stand.api("GET", plan + "/items?per_page=100").json["data"].list.first { $0["attributes"]["title"].text == title })
    }

    private func names(_ stand: Stand) throws -> [String] {
        try stand.api("GET", plan + "/all_attachments?per_page=100").json["data"].list.compactMap { $0["attributes"]["filename"].text }
    }

    @Test func otherWordsMakeTheArrangementNewerAndNoAttachment() throws {
        let stand = try Stand()
        let before = try stand.api("GET", plan + "/all_attachments?per_page=100").body
        func grace() throws -> Answer {
            try #require(try DemoWordsTests.songs(stand).first { $0.song["attributes"]["title"].text == "Amazing Grace" })
                .arrangement["attributes"]
        }
        try stand.service.edit(.setText(song: "Amazing Grace", to: "VERSE 1\nA[D]mazing grace"))
        #expect(try grace()["chord_chart"].text == "VERSE 1\nA[D]mazing grace")
        #expect(try grace()["lyrics"].text == "VERSE 1\nAmazing grace")
        #expect(try grace()["updated_at"].text == "2026-11-21T12:00:00Z")
        try stand.service.edit(.setTextKey(song: "Amazing Grace", to: "D"))
        #expect(try grace()["chord_chart_key"].text == "D")
        #expect(try grace()["updated_at"].text == "2026-11-21T12:00:01Z")
        try stand.service.edit(.setTextKey(song: "Amazing Grace", to: nil))
        #expect(try grace()["chord_chart_key"].isNull)
        try stand.service.edit(.setText(song: "Amazing Grace", to: nil))
        let none = try grace()
        #expect(none["chord_chart"].isNull && none["lyrics"].isNull)
        #expect(none["has_chord_chart"].value as? Bool == false && none["has_chords"].value as? Bool == false)
        #expect(try stand.api("GET", plan + "/all_attachments?per_page=100").body == before)
        #expect(throws: Trouble.self) { try stand.service.edit(.setText(song: "Nothing", to: "")) }
    }

    @Test func anItemInAKeyThatNobodyMadeHasNoKeyAndNoPartsOfOne() throws {
        let stand = try Stand()
        let before = try item("Amazing Grace", stand)
        #expect(try names(stand).contains("Amazing Grace - B♭ part.pdf"))
        try stand.service.edit(.setKey(item: before.id, to: "A"))
        let after = try item("Amazing Grace", stand)
        #expect(after["attributes"]["key_name"].text == "A")
        #expect(after["attributes"]["updated_at"].text == "2026-11-21T12:00:00Z")
        #expect(after["relationships"]["key"]["data"].isNull)
        #expect(after["relationships"]["arrangement"]["data"].id == before["relationships"]["arrangement"]["data"].id)
        #expect(try names(stand).contains("Amazing Grace - lead sheet in G.pdf"))
        #expect(try !names(stand).contains("Amazing Grace - B♭ part.pdf"))

        try stand.service.edit(.setKey(item: before.id, to: nil))
        #expect(try item("Amazing Grace", stand)["attributes"]["key_name"].isNull)
        try stand.service.edit(.setKey(item: before.id, to: "G"))
        #expect(try item("Amazing Grace", stand)["relationships"]["key"]["data"].id == before["relationships"]["key"]["data"].id)
        #expect(try names(stand).contains("Amazing Grace - B♭ part.pdf"))
        let sermon = try item("Sermon", stand).id
        #expect(throws: Trouble.self) { try stand.service.edit(.setKey(item: sermon, to: "G")) }
    }
}
