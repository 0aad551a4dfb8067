import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// Randomly damages answers. Each answer is either understood or reported as a failure of the service.
@Suite(.onLoop)
struct MutationTests {
    private static let words = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud800", "null", "true", "\"data\":", "\"attributes\":", "\"relationships\":",
        "[[[[[[", "{\"a\":", "\"page\":", "\"marks\":", "\"next\":", "\"2026-11-22T10:00:00Z\"", "\"9999-99-99T99:99:99Z\"",
    ]

    private static let schedules = #"""
        {"links":{"self":"x","next":"https://api.example.org/services/v2/people/104/schedules?offset=100"},"data":[{"type":"Schedule","id":"1",
        "attributes":{"dates":"November 22, 2026","status":"C","service_type_name":"Sunday Morning","plan_visible_to_me":true},
        "relationships":{"plan":{"data":{"type":"Plan","id":"5001"}},"service_type":{"data":{"type":"ServiceType","id":"77"}},
        "plan_times":{"data":[{"type":"PlanTime","id":"9001"}]}}}],"included":[{"type":"PlanTime","id":"9001",
        "attributes":{"starts_at":"2026-11-22T15:00:00Z","ends_at":"2026-11-22T16:15:00Z"}}],"meta":{"count":1}}
        """#
    private static let items = #"""
        {"data":[{"type":"Item","id":"302","attributes":{"title":"Amazing Grace","sequence":2,"item_type":"song","key_name":"Bb"},
        "relationships":{"song":{"data":{"type":"Song","id":"11"}},"arrangement":{"data":{"type":"Arrangement","id":"21"}},
        "key":{"data":null}}},{"type":"Item","id":301,"attributes":{"title":"Welcome","sequence":1},"relationships":null}],
        "included":[{"type":"Song","id":"11","attributes":{"title":"Amazing Grace"}},
        {"type":"Arrangement","id":"21","attributes":{"name":"Default","updated_at":"2026-10-01T08:00:00Z"}}],"links":{},"meta":{}}
        """#
    private static let attachments = #"""
        {"data":[{"type":"Attachment","id":"1","attributes":{"filename":"grace.pdf","content_type":"application/pdf","file_size":81234,
        "pco_type":"AttachmentS3","downloadable":true,"updated_at":"2026-11-01T10:00:00Z","page_order":[1,"2",null]},
        "relationships":{"attachable":{"data":{"type":"Song","id":"11"}}}}],"included":[],"links":{"next":null},"meta":{}}
        """#
    private static let layers = #"""
        {"data":[{"type":"AnnotationLayer","id":"7f0c","attributes":{"attachment_id":79073923,"person_name":"A. Player","name":"bowings",
        "revision":12,"updated_at":"2026-11-18T20:31:31.25Z","deleted_at":null,"marks":[
        {"id":"m1","page":0,"kind":"pen","color":"#ff0000","width":0.003,"points":[[0.1,0.2],[0.3,0.4,0.002]]},
        {"id":"m3","page":1,"kind":"hologram","depth":{"x":[3]}}]}}],"links":{},"meta":{}}
        """#

    /// Repeats a request, each time with another damaged copy of `sample` as the answer at `url`. Returns how many times the answer was
    /// understood.
    @LoopActor private func attempt(
        _ url: String, _ sample: String, _ others: [String: String] = [:], _ ask: @LoopActor (Service) async throws(ServiceFailure) -> Void
    ) async -> Int {
        var mutator = Mutator([Array(sample.utf8)], words: Self.words)
        var understood = 0
        for _ in 0..<Mutator.count(400) {
            let service = Service()
            for (url, text) in others { service.network.route(.get, url, text) }
            let response = HTTPResponse(status: 200, body: mutator.next())
            service.network.route(.get, url) { (_) throws(HTTPFailure) in response }
            do throws(ServiceFailure) {
                try await ask(service)
                understood += 1
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        return understood
    }

    @Test @LoopActor func schedules() async {
        let understood = await attempt(Service.schedules, Self.schedules) { service throws(ServiceFailure) in
            for plan in try await service.client.comingPlans() { #expect(!plan.id.text.isEmpty) }
        }
        #expect(understood < Mutator.count(400))
    }

    @Test @LoopActor func items() async {
        let understood = await attempt(Service.items, Self.items, [Service.attachments: Self.attachments]) {
            service throws(ServiceFailure) in
            for item in try await service.client.contents(of: Service.plan).items { #expect(!item.id.text.isEmpty) }
        }
        #expect(understood > 0 && understood < Mutator.count(400))
    }

    @Test @LoopActor func attachments() async {
        let understood = await attempt(Service.attachments, Self.attachments, [Service.items: Self.items]) {
            service throws(ServiceFailure) in
            for item in try await service.client.contents(of: Service.plan).items { #expect(!item.id.text.isEmpty) }
        }
        #expect(understood > 0 && understood < Mutator.count(400))
    }

    @Test @LoopActor func layers() async {
        let understood = await attempt(Service.layers, Self.layers) { service throws(ServiceFailure) in
            let layers = try await service.client.layers(of: Service.plan)?.layers ?? []
            for marks in PageMarks.join(layers).values { #expect(marks.marks.allSatisfy { $0.isDrawn && !$0.page.description.isEmpty }) }
        }
        #expect(understood > 0 && understood < Mutator.count(400))
    }
}
