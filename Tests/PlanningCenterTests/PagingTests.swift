import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct PagingTests {
    private static func page(_ ids: ClosedRange<Int>, next: String?) -> String {
        let items = ids.map { #"{"type":"Item","id":"\#($0)","attributes":{"title":"t","sequence":\#($0)}}"# }.joined(separator: ",")
        return #"{"data":[\#(items)],"links":{"self":"x"\#(next.map { #","next":"\#($0)""# } ?? "")}}"#
    }

    @LoopActor private func service(next: String) -> Service {
        let service = Service()
        service.network.route(.get, Service.attachments, Service.nothing)
        service.network.route(.get, Service.items, Self.page(1...2, next: next))
        return service
    }

    @Test @LoopActor func allPagesAreRead() async throws {
        let service = service(next: Service.items + "&offset=2")
        // The port that is the usual one, capitals, and an address from the root: all are the same origin.
        service.network.route(
            .get, Service.items + "&offset=2",
            Self.page(3...4, next: "HTTPS://API.example.org:443/services/v2/third"))
        service.network.route(.get, "\(Service.root)/third", Self.page(5...5, next: "/services/v2/fourth"))
        service.network.route(.get, "\(Service.root)/fourth", Self.page(6...6, next: nil))
        let contents = try await service.client.contents(of: Service.plan)
        #expect(contents.items.map(\.id.text) == ["1", "2", "3", "4", "5", "6"])
    }

    @Test(arguments: [
        "https://evil.example/items", "http://api.example.org/services/v2/items", "https://api.example.org:8443/services/v2/items",
        "https://api.example.org@evil.example/items", "https://api.example.org.evil.example/items", "//evil.example/items",
        "https://api.example.org\\\\@evil.example/", "file:///etc/passwd", "items",
    ]) @LoopActor
    func aNextPageElsewhereIsRefused(next: String) async throws {
        let service = service(next: next)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.contents(of: Service.plan) }
        #expect(["ledAway", "notUnderstood"].contains(failure?.name))
        #expect(service.network.requests.map(\.url) == [Service.items])
    }

    @Test @LoopActor func pagesInACircleEnd() async throws {
        let service = service(next: Service.items + "&offset=2")
        service.network.route(.get, Service.items + "&offset=2", Self.page(3...4, next: Service.items))
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.contents(of: Service.plan) }
        #expect(failure?.name == "notUnderstood")
        #expect(service.network.requests.count == 2)
    }

    @Test @LoopActor func pagesWithoutEndEnd() async throws {
        let service = Service()
        var number = 0
        let network = SimulatedNetwork { (request) throws(HTTPFailure) in
            number += 1
            return HTTPResponse(status: 200, body: Array(Self.page(1...1, next: "/services/v2/page\(number)").utf8))
        }
        let client = PlanningCenterClient(
            account: Account(apiURL: Service.root, credentials: Secret("a:b"), userAgent: "t"), transport: network, time: service.clock,
            log: .silent)
        let failure = await #expect(throws: ServiceFailure.self) { try await client.contents(of: Service.plan) }
        #expect(failure?.name == "notUnderstood")
        #expect(number <= 200)
    }

    @Test @LoopActor func idsCannotLeaveTheirPlaceInAnAddress() async throws {
        let service = Service()
        let plan = Plan(id: PlanID("../../me?x=/#é"), serviceType: ServiceTypeID("77"))
        _ = try? await service.client.contents(of: plan)
        #expect(
            service.network.requests.first?.url.hasPrefix("\(Service.root)/service_types/77/plans/..%2F..%2Fme%3Fx%3D%2F%23%C3%A9/items?")
                == true)
        for id in ["..", ".", ""] {
            await #expect(throws: ServiceFailure.self) {
                try await service.client.contents(of: Plan(id: PlanID(id), serviceType: ServiceTypeID("77")))
            }
        }
        #expect(service.network.requests.count == 1)
    }
}
