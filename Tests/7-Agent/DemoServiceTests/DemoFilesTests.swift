import Foundation
import StandInSupport
import TestSupport
import Testing

/// The requests that lead from an attachment to its bytes.
@Suite(.timeLimit(.minutes(5)))
struct DemoFilesTests {
    private func get(_ url: String, _ headers: [(String, String)] = []) throws -> HTTPProbe.Reply {
        try HTTPProbe.send("GET", url, headers: headers)
    }

    @Test func openLeadsToTheBytesOnAnotherPort() throws {
        let stand = try Stand()
        let attachment = try stand.attachment("Down by the Riverside")
        let opened = try stand.api("POST", "/attachments/\(attachment.id)/open")
        #expect(opened.status == 201)
        #expect(opened.json["data"]["type"].text == "AttachmentActivity")
        #expect(opened.headers["set-cookie"] != nil)
        let address = try #require(opened.json["data"]["attributes"]["attachment_url"].text)
        #expect(!address.hasPrefix(stand.service.apiURL.replacing("/services/v2", with: "/")))
        let file = try get(address)
        #expect(file.status == 200)
        #expect(file.text.hasPrefix("%PDF-"))
        #expect(file.body.count == attachment["attributes"]["file_size"].number)
        #expect(file.headers["accept-ranges"] == "bytes")
        #expect(file.headers["content-type"] == "application/pdf")
        #expect(stand.service.statistics.opens == [attachment.id: 1])
        #expect(stand.service.statistics.downloads == [attachment.id: 1])
        #expect(stand.service.statistics.mostDownloadsInFlight == 1)
    }

    @Test func signedAddressesExpire() throws {
        let stand = try Stand()
        let address = try stand.open(stand.attachment("Down by the Riverside").id)
        stand.pass(6 * 3600 - 1)
        #expect(try get(address).status == 200)
        stand.pass(1)
        #expect(try get(address).status == 403)
    }

    @Test func forgedAddressesAreRefused() throws {
        let stand = try Stand()
        let riverside = try stand.attachment("Down by the Riverside").id
        let hymn = try stand.attachment("Holy, Holy, Holy - hymn").id
        let address = try stand.open(riverside)
        #expect(try get(address + "0").status == 403)
        #expect(try get(address.replacing("/uploads/\(riverside)/", with: "/uploads/\(hymn)/")).status == 403)
        #expect(try get(String(address.prefix { $0 != "?" })).status == 403)
        #expect(stand.service.statistics.downloads.isEmpty)
    }

    @Test func fileServerRefusesHeadAndAuthorization() throws {
        let stand = try Stand()
        let address = try stand.open(stand.attachment("Down by the Riverside").id)
        #expect(try HTTPProbe.send("HEAD", address).status == 403)
        #expect(try get(address, [Stand.authorization]).status == 400)
        #expect(try get(address).status == 200)
    }

    @Test func rangesArePartsOfTheWhole() throws {
        let stand = try Stand()
        let address = try stand.open(stand.attachment("Down by the Riverside").id)
        let whole = try get(address)
        let count = whole.body.count
        let tag = try #require(whole.headers["etag"])
        #expect(!tag.hasPrefix("W/"))

        for (range, part) in [
            ("bytes=100-199", 100..<200), ("bytes=\(count - 5)-", count - 5..<count), ("bytes=-7", count - 7..<count),
            ("bytes=10-99999999", 10..<count),
        ] {
            let reply = try get(address, [("Range", range)])
            #expect(reply.status == 206)
            #expect(reply.body == Array(whole.body[part]))
            #expect(reply.headers["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)")
        }
        let beyond = try get(address, [("Range", "bytes=\(count)-")])
        #expect(beyond.status == 416)
        #expect(beyond.headers["content-range"] == "bytes */\(count)")
        #expect(try get(address, [("Range", "bytes=5-3")]).status == 200)
        #expect(try get(address, [("Range", "bytes=0-9"), ("If-Range", tag)]).status == 206)
        let changed = try get(address, [("Range", "bytes=0-9"), ("If-Range", "\"another\"")])
        #expect(changed.status == 200)
        #expect(changed.body == whole.body)
    }

    @Test func generatedChartIsMadeBehindARedirect() throws {
        let stand = try Stand()
        let chart = try stand.attachment("Swing Low")
        #expect(chart.id.hasPrefix("chord_chart-"))
        #expect(chart["attributes"]["content_type"].isNull)
        #expect(chart["attributes"]["file_size"].number == 0)
        #expect(chart["attributes"]["pco_type"].text == "AttachmentChart::Chord")
        let address = try stand.open(chart.id)
        let redirect = try get(address)
        #expect(redirect.status == 302)
        let target = try #require(redirect.headers["location"])
        #expect(try get(target).text.hasPrefix("%PDF-"))
        stand.pass(60)
        #expect(try get(address).status == 403)
        #expect(try get(target).status == 403)
    }

    @Test func someAttachmentsAreNoCharts() throws {
        let stand = try Stand()
        let recording = try stand.attachment("Riverside - run-through")
        #expect(recording["attributes"]["content_type"].text == "audio/mpeg")
        let video = try stand.attachment("Holy, Holy, Holy on YouTube")
        #expect(video["attributes"]["pco_type"].text == "AttachmentYoutube")
        #expect(try stand.open(video.id).hasPrefix("https://www.youtube.com/"))
        #expect(try stand.attachment("Silent Night on Spotify")["attributes"]["pco_type"].text == "AttachmentSpotify")
        let order = try stand.attachment("Order of service.docx")
        #expect(order["relationships"]["attachable"]["data"]["type"].text == "Plan")
    }

    @Test func everyChartOfTheComingPlansIsAPDFOfItsSize() throws {
        let stand = try Stand()
        var names: Set<String> = []
        for plan in ["501001/plans/67810002", "501001/plans/67810003", "501002/plans/67820001"] {
            for attachment in try stand.api("GET", "/service_types/\(plan)/all_attachments?per_page=100").json["data"].list {
                guard attachment["attributes"]["content_type"].text == "application/pdf" else { continue }
                let file = try get(stand.open(attachment.id))
                #expect(file.text.hasPrefix("%PDF-"))
                #expect(file.body.count == attachment["attributes"]["file_size"].number)
                names.insert(attachment["attributes"]["filename"].text ?? "")
            }
        }
        #expect(names.count == 15)
    }

    @Test func openingNothingIsNotFound() throws {
        let stand = try Stand()
        #expect(try stand.api("POST", "/attachments/1/open").status == 404)
        #expect(try stand.api("GET", "/attachments/1/open").status == 404)
        #expect(stand.service.statistics.opens.isEmpty)
    }
}
