import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// Answers that come from another origin than the service's, or that link to further pages at another origin.
@Suite(.onLoop)
struct OriginTests {
    /// Every kind of request, by its address.
    private static let routes: [(url: String, serviceTypes: [String], person: String?)] = [
        (Service.schedules, [], "104"), ("\(Service.root)/me", [], nil), ("\(Service.root)/service_types/77", ["77"], nil),
        ("\(Service.root)/service_types/77/plans?filter=future&order=sort_date&include=plan_times&per_page=100", ["77"], nil),
        (Service.items, [], "104"), (Service.attachments, [], "104"), (Service.layers, [], "104"),
    ]

    /// Requests everything until something fails.
    @LoopActor private func askForAll(_ service: Service) async throws(ServiceFailure) {
        _ = try await service.client.comingPlans()
        _ = try await service.client.contents(of: Service.plan)
        _ = try await service.client.layers(of: Service.plan)
    }

    @LoopActor private func service(for route: Int) -> Service {
        let service = Service(personID: Self.routes[route].person, serviceTypes: Self.routes[route].serviceTypes)
        for route in Self.routes { service.network.route(.get, route.url, Service.nothing) }
        service.network.route(.get, "\(Service.root)/me", #"{"data":{"type":"Person","id":"104"}}"#)
        service.network.route(.get, "\(Service.root)/service_types/77", #"{"data":{"type":"ServiceType","id":"77"}}"#)
        return service
    }

    @Test(arguments: routes.indices, [301, 302, 303, 307, 308])
    @LoopActor func noAnswerIsTakenFromAnotherHost(route: Int, status: Int) async throws {
        let service = service(for: route)
        try await askForAll(service)
        service.network.route(.get, "https://portal.example.net/list", Service.nothing)
        service.network.route(.get, Self.routes[route].url, status: status, headers: ["location": "https://portal.example.net/list"], "")
        let failure = await #expect(throws: ServiceFailure.self) {
            try await askForAll(self.service(for: route, in: service))
        }
        #expect(failure?.name == "ledAway", "\(Self.routes[route].url)")
        #expect(failure?.description.contains("log-in") == true)
        #expect(!service.network.requests.contains { $0.url.contains("portal") })
    }

    /// A new client whose requests are answered by the network of `former`.
    @LoopActor private func service(for route: Int, in former: Service) -> Service {
        let service = Service(personID: Self.routes[route].person, serviceTypes: Self.routes[route].serviceTypes)
        service.network.route(.get, "\(Service.root)/me", #"{"data":{"type":"Person","id":"104"}}"#)
        for url in Self.routes.map(\.url) {
            service.network.route(.get, url) { request async throws(HTTPFailure) in try await former.network.send(request) }
        }
        return service
    }

    @Test(arguments: [
        "https://portal.example.net/services/v2/next", "http://api.example.org/services/v2/next", "https://api.example.org:8443/next",
        "//portal.example.net/next",
    ])
    @LoopActor func theNextPageIsAtTheServiceOrNotThere(next: String) async {
        for route in [Service.schedules, Service.items, Service.attachments, Service.layers] {
            let service = service(for: 0)
            service.network.route(.get, route, #"{"data":[],"included":[],"links":{"next":"\#(next)"}}"#)
            let failure = await #expect(throws: ServiceFailure.self) { try await askForAll(service) }
            #expect(failure?.name == (next.hasPrefix("//") ? "notUnderstood" : "ledAway"))
            #expect(!service.network.requests.contains { $0.url.hasSuffix("next") })
        }
    }

    @Test(arguments: [
        "<html>Welcome to our hotel</html>", "\n\t<!doctype html>", #"{"status":"ok"}"#, #"{"data":"welcome"}"#, "[]", "true", "",
        #"{"data":[{"portal":true}]}"#, #"{"data":[1]}"#, #"{"error":"log in"}"#,
    ])
    @LoopActor func whatIsNoListOfTheServiceIsNotUnderstood(body: String) async {
        for route in [Service.schedules, Service.items, Service.attachments, Service.layers] {
            let service = service(for: 0)
            service.network.route(.get, route, body)
            let failure = await #expect(throws: ServiceFailure.self) { try await askForAll(service) }
            #expect(failure?.name == "notUnderstood", "\(route)")
        }
    }

    @Test @LoopActor func onlyTheFileItselfMayLieElsewhere() async throws {
        let service = service(for: 0)
        let opened = #"{"data":{"type":"AttachmentActivity","id":"1","attributes":{"attachment_url":"https://files.example.net/a"}}}"#
        service.network.route(.post, "\(Service.root)/attachments/1/open", opened)
        service.network.route(.get, "https://files.example.net/a", status: 302, headers: ["location": "https://cdn.example.net/a"], "")
        service.network.route(.get, "https://cdn.example.net/a", "%PDF-1.7")
        let chart = Attachment(id: AttachmentID("1"), filename: "a.pdf")
        #expect(try await service.client.download(chart) { _ in true }.bytes == 8)
    }
}
