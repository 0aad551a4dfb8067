import DemoService
import Foundation
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

@Suite(.onLoop)
struct DemoFaultTests {
    private static let items = "/service_types/501001/plans/67810002/items"

    @Test func statusFaultsAnswerInPlaceOfTheTruth() throws {
        let stand = try Stand()
        let statuses: [(DemoFault, Int)] = [
            (.unauthorised, 401), (.forbidden, 403), (.tooManyRequests(retryAfter: 9), 429), (.serverError, 500), (.loginPage, 200),
            (.redirectElsewhere, 302), (.redirectToHTTP, 302), (.redirectToFile, 302), (.invalidJSON, 200),
        ]
        for (fault, status) in statuses {
            stand.service.setFault(fault, on: .items)
            let reply = try stand.api("GET", Self.items)
            #expect(reply.status == status, "\(fault)")
            #expect(reply.json["data"].isMissing, "\(fault)")
            if case .tooManyRequests = fault { #expect(reply.headers["retry-after"] == "9") }
        }
        stand.service.setFault(nil, on: .items)
        #expect(try stand.api("GET", Self.items).json["data"].list.count == 10)
        #expect(stand.service.statistics.faults == statuses.count)
    }

    @Test func faultStaysOnItsRoute() throws {
        let stand = try Stand()
        let paths: [(DemoRoute, String, String)] = [
            (.me, "GET", "/me"), (.schedules, "GET", "/people/104/schedules"), (.plans, "GET", "/service_types/501001/plans"),
            (.items, "GET", Self.items), (.attachments, "GET", "/service_types/501001/plans/67810002/all_attachments"),
            (.open, "POST", "/attachments/\(try stand.attachment("Piano").id)/open"),
        ]
        for (faulty, _, _) in paths {
            stand.service.setFault(.serverError, on: faulty)
            for (route, method, path) in paths {
                #expect((try stand.api(method, path).status == 500) == (route == faulty), "\(route) with a fault on \(faulty)")
            }
            #expect(try stand.annotations("GET", "/layers").status == 200)
            stand.service.setFault(nil, on: faulty)
        }
        stand.service.setFault(.serverError, on: .layers)
        #expect(try stand.annotations("GET", "/layers").status == 500)
        let address = try stand.open(try stand.attachment("Piano").id)
        stand.service.setFault(.serverError, on: .file)
        #expect(try HTTPProbe.send("GET", address).status == 500)
        #expect(try stand.api("GET", "/me").status == 200)
    }

    @Test func faultLastsForSoManyRequests() throws {
        let stand = try Stand()
        stand.service.setFault(.serverError, on: .me, times: 2)
        #expect(try (0..<3).map { _ in try stand.api("GET", "/me").status } == [500, 500, 200])
    }

    @Test func brokenBodiesDoNotArrive() throws {
        let stand = try Stand()
        for fault in [DemoFault.cutOff, .lengthTooLong] {
            stand.service.setFault(fault, on: .items)
            #expect(throws: HTTPProbe.Failure.self, "\(fault)") { try stand.api("GET", Self.items) }
        }
        stand.service.setFault(.lengthTooShort, on: .items)
        let reply = try stand.api("GET", Self.items)
        #expect(reply.status == 200)
        #expect(reply.json.isMissing)
    }

    @Test func knownTagIsNoWayAroundAFault() throws {
        let stand = try Stand()
        let tag = try #require(try stand.api("GET", Self.items).headers["etag"])
        #expect(try stand.api("GET", Self.items, headers: [("If-None-Match", tag)]).status == 304)
        stand.service.setFault(.withoutETag, on: .items)
        let reply = try stand.api("GET", Self.items, headers: [("If-None-Match", tag)])
        #expect(reply.status == 200)
        #expect(reply.headers["etag"] == nil)
        #expect(reply.json["data"].list.count == 10)
    }

    @Test func nextPagesLeadAstray() throws {
        let stand = try Stand()
        stand.service.setFault(.nextElsewhere, on: .items)
        let elsewhere = try #require(try stand.api("GET", Self.items).json["links"]["next"].text)
        #expect(!stand.service.apiURL.hasPrefix(elsewhere.prefix(22)))
        stand.service.setFault(.nextInALoop, on: .items)
        let next = try #require(try stand.api("GET", Self.items + "?per_page=100").json["links"]["next"].text)
        #expect(next == stand.service.apiURL + Self.items + "?per_page=100")
    }

    @Test @LoopActor func gzipBombIsWhatGzipTakesForAFile() async throws {
        let stand = try Stand()
        stand.service.setFault(.gzipBomb, on: .me)
        let reply = try stand.api("GET", "/me")
        #expect(reply.headers["content-encoding"] == "gzip")
        #expect(reply.body.count < 2 << 20)
        let folder = TemporaryFolder()
        try reply.body.withUnsafeBytes { try AtomicFile.write($0, to: folder.path("bomb.gz")) }
        // gzip compares the checksum and the length with the unpacked bytes.
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let gzip = try Child.start(
            "/bin/gzip", arguments: ["--test", folder.path("bomb.gz")], environment: [],
            descriptors: [null.number, null.number, null.number])
        #expect(await gzip.exit() == .code(0))
    }

    @Test func fileChangesBetweenTwoRanges() throws {
        let stand = try Stand()
        let id = try stand.attachment("Piano").id
        let address = try stand.open(id)
        let first = try HTTPProbe.send("GET", address)
        stand.service.setFault(.changedBetweenRanges, on: .file)
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.send("GET", address) }
        let second = try HTTPProbe.send("GET", address)
        #expect(second.status == 200)
        #expect(second.body.count == first.body.count)
        #expect(second.headers["etag"] != first.headers["etag"])
        let half = first.body.count / 2
        #expect(second.body[..<half] != first.body[..<half])
        #expect(second.body[half...] != first.body[half...])
        #expect(stand.service.bytes(of: id) == second.body)
    }

    @Test func loadHasSoManyPlansAndCharts() throws {
        let demo = try StandIn.start(
            load: DemoLoad(plans: 7, chartsPerPlan: 3, bytesPerChart: 5000), clock: { .seconds(Stand.saturday) })
        let headers = [("User-Agent", "probe"), Stand.authorization]
        func data(_ path: String) throws -> [Answer] {
            try HTTPProbe.send("GET", demo.apiURL + path, headers: headers).json["data"].list
        }
        #expect(try data("/people/104/schedules?filter=future&per_page=100").count == 7)
        var hashes: Set<[UInt8]> = []
        for plan in try data("/service_types/501001/plans?filter=future&per_page=100") {
            #expect(try data("/service_types/501001/plans/\(plan.id)/items").count == 3)
            for attachment in try data("/service_types/501001/plans/\(plan.id)/all_attachments") {
                let bytes = try #require(demo.bytes(of: attachment.id))
                #expect(abs(bytes.count - 5000) <= 2)
                #expect(attachment["attributes"]["file_size"].number == bytes.count)
                #expect(bytes.starts(with: Array("%PDF-".utf8)))
                hashes.insert(bytes)
            }
        }
        #expect(hashes.count == 21)
        demo.stop()
    }
}
