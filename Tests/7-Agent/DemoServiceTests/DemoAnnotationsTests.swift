import Foundation
import StandInSupport
import TestSupport
import Testing

/// The API's extension for annotations.
@Suite(.timeLimit(.minutes(5)))
struct DemoAnnotationsTests {
    private let list = "/layers?where[plan_id]=67810002&per_page=100"

    @Test func switchedOffItIsNotThere() throws {
        let stand = try Stand(annotations: false)
        #expect(try stand.annotations("GET", list).status == 404)
        #expect(try stand.annotations("GET", "/layers/riverside-lead-104").status == 404)
        stand.service.serveAnnotations(true)
        #expect(try stand.annotations("GET", list).status == 200)
    }

    @Test func itAsksForTheTokenLikeTheRest() throws {
        let stand = try Stand()
        let address = stand.service.annotationsURL + "/layers"
        #expect(try HTTPProbe.send("GET", address, headers: [("User-Agent", "x")]).status == 401)
    }

    @Test func layersOfAPlanAreThoseOfItsCharts() throws {
        let stand = try Stand()
        let reply = try stand.annotations("GET", list).json
        let layers = reply["data"].list
        #expect(
            Set(layers.map(\.id)) == [
                "amazing-grace-lead-g-104", "amazing-grace-lead-g-117", "amazing-grace-violin-104", "holy-holy-holy-full-score-104",
                "holy-holy-holy-full-score-117", "piano-album-104", "riverside-lead-104", "riverside-lead-117",
            ])
        #expect(Set(layers.compactMap { $0["attributes"]["person_id"].text }) == ["104", "117"])
        let attachments = try stand.api("GET", "/service_types/501001/plans/67810002/all_attachments?per_page=100").json["data"].list
        #expect(layers.allSatisfy { layer in attachments.contains { $0.id == layer["attributes"]["attachment_id"].text } })
        let riverside = try stand.attachment("Down by the Riverside").id
        #expect(layers.first { $0.id == "riverside-lead-117" }?["attributes"]["attachment_id"].text == riverside)
        #expect(reply["meta"]["total_count"].number == 8)
        #expect(try stand.annotations("GET", "/layers?where[plan_id]=1").json["data"].list.isEmpty)
        #expect(try stand.annotations("GET", "/layers?per_page=2").json["links"]["next"].text?.contains("offset=2") == true)
    }

    @Test func unchangedLayersAre304ByAStrongTag() throws {
        let stand = try Stand()
        let tag = try #require(stand.annotations("GET", list).headers["etag"])
        #expect(tag.hasPrefix("\""))
        #expect(try stand.annotations("GET", list, headers: [("If-None-Match", tag)]).status == 304)
        _ = try stand.edit(#"{"edit":"add-mark","layer":"piano-album-104","page":4}"#)
        #expect(try stand.annotations("GET", list, headers: [("If-None-Match", tag)]).status == 200)
        let one = try stand.annotations("GET", "/layers/piano-album-104")
        #expect(one.headers["etag"] == "\"2\"")
        #expect(try stand.annotations("GET", "/layers/piano-album-104", headers: [("If-None-Match", "\"2\"")]).status == 304)
    }
}
