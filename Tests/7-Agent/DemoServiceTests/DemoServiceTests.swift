import DemoService
import Foundation
import StandInSupport
import TestSupport
import Testing

/// The rules that hold for every request to the API.
@Suite(.timeLimit(.minutes(5)))
struct DemoServiceTests {
    @Test func wrongTokenIsRefusedInPlainText() throws {
        let stand = try Stand()
        for headers in [[("User-Agent", "x")], [("User-Agent", "x"), ("Authorization", "Basic d3Jvbmc6dG9rZW4=")]] {
            let reply = try HTTPProbe.send("GET", stand.service.apiURL + "/me", headers: headers)
            #expect(reply.status == 401)
            #expect(reply.text.hasPrefix("HTTP Basic: Access denied."))
            #expect(reply.headers["content-type"]?.hasPrefix("text/plain") == true)
        }
        #expect(stand.service.statistics.requests == 2)
    }

    @Test func requestWithoutUserAgentGetsABare403() throws {
        let stand = try Stand()
        let reply = try HTTPProbe.send("GET", stand.service.apiURL + "/me", headers: [Stand.authorization])
        #expect(reply.status == 403)
        #expect(reply.body.isEmpty)
    }

    @Test func meIsTheTokensOwner() throws {
        let reply = try Stand().api("GET", "/me")
        #expect(reply.status == 200)
        #expect(reply.headers["content-type"]?.hasPrefix("application/vnd.api+json") == true)
        #expect(reply.json["data"]["type"].text == "Person")
        #expect(reply.json["data"].id == DemoService.personID)
    }

    @Test func whatIsNotThereIsADocumentedError() throws {
        let reply = try Stand().api("GET", "/service_types/501001/plans/1/items")
        #expect(reply.status == 404)
        #expect(reply.json["errors"].list.first?["status"].text == "404")
        #expect(reply.json["errors"].list.first?["title"].text == "Not Found")
    }

    @Test func pagesLeadFromOneToTheNextUntilTheLast() throws {
        let stand = try Stand()
        let all = try stand.api("GET", "/service_types/501001/plans/67810002/items?per_page=100")
        let count = all.json["data"].list.count
        #expect(all.json["links"]["next"].isMissing)
        #expect(all.json["meta"]["next"].isMissing)
        #expect(all.json["meta"]["total_count"].number == count)
        #expect(all.json["meta"]["parent"].id == "67810002")
        #expect(all.json["included"].value as? [String] == [])

        var address: String? = stand.service.apiURL + "/service_types/501001/plans/67810002/items?per_page=3&include=song"
        var ids: [String] = []
        var pages = 0
        while let next = address {
            let reply = try HTTPProbe.send("GET", next, headers: [("User-Agent", "x"), Stand.authorization])
            let data = reply.json["data"].list
            #expect(reply.json["meta"]["count"].number == data.count)
            ids += data.map(\.id)
            pages += 1
            address = reply.json["links"]["next"].text
            #expect((reply.json["meta"]["next"]["offset"].number == nil) == (address == nil))
            if address != nil { #expect(reply.json["meta"]["next"]["offset"].number == ids.count) }
        }
        #expect(pages == (count + 2) / 3)
        #expect(ids == all.json["data"].list.map(\.id))
    }

    @Test(arguments: [("", 10), ("per_page=0", 1), ("per_page=4", 4), ("per_page=5000", 10), ("offset=8", 2), ("offset=99", 0)])
    func pageSizesAreHeldToTheirBounds(query: String, count: Int) throws {
        let reply = try Stand().api("GET", "/service_types/501001/plans/67810002/items?" + query)
        #expect(reply.json["meta"]["total_count"].number == 10)
        #expect(reply.json["data"].list.count == count)
    }

    @Test func unsupportedIncludeIsRefused() throws {
        let stand = try Stand()
        let reply = try stand.api("GET", "/service_types/501001/plans?include=plan_times,nonsense")
        #expect(reply.status == 400)
        #expect(reply.json["errors"].list.first?["detail"].text?.contains("nonsense") == true)
        #expect(try stand.api("GET", "/service_types/501001/plans?include=plan_times").status == 200)
    }

    @Test func unchangedAnswerIs304() throws {
        let stand = try Stand()
        let first = try stand.api("GET", "/service_types/501001/plans")
        let tag = try #require(first.headers["etag"])
        #expect(tag.hasPrefix("W/\""))
        let second = try stand.api("GET", "/service_types/501001/plans", headers: [("If-None-Match", "\"other\", \(tag)")])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(second.headers["etag"] == tag)
        try stand.service.edit(.renamePlan(plan: "67810002", title: "Other"))
        let third = try stand.api("GET", "/service_types/501001/plans", headers: [("If-None-Match", tag)])
        #expect(third.status == 200)
        #expect(third.headers["etag"] != tag)
        #expect(stand.service.statistics.unchanged == 1)
    }

    @Test func rateIsToldAndHeld() throws {
        let stand = try Stand(limit: RateLimit(requests: 3, seconds: 20))
        for count in 1...3 {
            let reply = try stand.api("GET", "/me")
            #expect(reply.status == 200)
            #expect(reply.headers["x-pco-api-request-rate-limit"] == "3")
            #expect(reply.headers["x-pco-api-request-rate-period"] == "20 seconds")
            #expect(reply.headers["x-pco-api-request-rate-count"] == String(count))
        }
        stand.pass(5)
        let over = try stand.api("GET", "/me")
        #expect(over.status == 429)
        #expect(over.headers["retry-after"] == "15")
        let error = try #require(over.json["errors"].list.first)
        #expect(error["code"].text == "429")
        #expect(error["detail"].text == "Rate limit exceeded: 4 of 3 requests per 20 seconds")
        stand.pass(15)
        #expect(try stand.api("GET", "/me").status == 200)
        #expect(stand.service.statistics.overLimit == 1)
    }

    @Test func limitIsTheRealOneByDefault() {
        #expect(RateLimit() == RateLimit(requests: 100, seconds: 20))
    }

    @Test func requestsAreCountedByRoute() throws {
        let stand = try Stand()
        _ = try stand.api("GET", "/service_types/501001/plans/67810002/items")
        _ = try stand.api("GET", "/service_types/501001/plans/67810003/items")
        _ = try stand.api("GET", "/people/104/schedules")
        _ = try stand.annotations("GET", "/layers")
        #expect(
            stand.service.statistics.byRoute == [
                "GET /service_types/{id}/plans/{id}/items": 2, "GET /people/{id}/schedules": 1, "GET /annotations/v1/layers": 1,
            ])
        stand.service.resetStatistics()
        #expect(stand.service.statistics.requests == 0)
    }

    @Test func stoppedServiceAnswersNoMore() throws {
        let stand = try Stand()
        stand.service.stop()
        stand.service.stop()
        #expect(throws: HTTPProbe.Failure.self) { try stand.api("GET", "/me") }
    }
}
