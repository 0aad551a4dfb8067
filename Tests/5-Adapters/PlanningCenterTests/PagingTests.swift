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
        // The default port, capitals, and an address from the root: all these links lead to the same origin.
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

    /// A client of a service without files. The n-th request gets the running order `entries(n)`, three entries to a page.
    @LoopActor private func client(entries: @escaping @LoopActor (_ request: Int) -> [Int]) -> (PlanningCenterClient, SimulatedNetwork) {
        var number = 0
        let network = SimulatedNetwork { (request) throws(HTTPFailure) in
            guard request.url.contains("/items?") else { return HTTPResponse(status: 200, body: Array(Service.nothing.utf8)) }
            let all = entries(number)
            number += 1
            let offset = request.url.split(separator: "offset=").dropFirst().first.flatMap { Int($0) } ?? 0
            let items = all.dropFirst(offset).prefix(3).map { #"{"type":"Item","id":"\#($0)","attributes":{"title":"t"}}"# }
            let next = offset + 3 < all.count ? #""next":"\#(Service.items)&offset=\#(offset + 3)""# : ""
            let body = #"{"data":[\#(items.joined(separator: ","))],"links":{\#(next)},"meta":{"total_count":\#(all.count)}}"#
            return HTTPResponse(status: 200, body: Array(body.utf8))
        }
        let account = Account(apiURL: Service.root, credentials: Secret("a:b"), userAgent: "t")
        return (PlanningCenterClient(account: account, transport: network, time: JumpingClock(), log: .silent), network)
    }

    private static func ids(_ contents: PlanContents) -> [String] { contents.items.map(\.id.text).sorted() }

    @Test @LoopActor func anEntryOnTheBorderOfTwoPagesIsNotLostWhenAnotherIsDeletedMeanwhile() async throws {
        let (client, _) = client { $0 == 0 ? [1, 2, 3, 4, 5] : [2, 3, 4, 5] }
        #expect(try await Self.ids(client.contents(of: Service.plan)) == ["2", "3", "4", "5"])
    }

    @Test @LoopActor func anEntryOnTheBorderOfTwoPagesIsNotLostWhenAnotherIsReplacedMeanwhile() async throws {
        // All totals agree and no entry comes twice, so only a client that had entry 4 before can detect the gap.
        let (client, _) = client { $0 == 0 ? [1, 2, 3, 4, 5] : [2, 3, 4, 5, 6] }
        let known = PlanContents(plan: Service.plan, items: [PlanItem(id: ItemID("4"), sequence: 1, title: "t")])
        #expect(try await Self.ids(client.contents(of: Service.plan, known: known)) == ["2", "3", "4", "5", "6"])
    }

    @Test @LoopActor func anEntryThatIsGoneForGoodIsLookedForTwice() async throws {
        let (client, network) = client { _ in [1, 2, 3, 5] }
        let known = PlanContents(plan: Service.plan, items: [PlanItem(id: ItemID("4"), sequence: 1, title: "t")])
        #expect(try await Self.ids(client.contents(of: Service.plan, known: known)) == ["1", "2", "3", "5"])
        #expect(network.requests.count { $0.url.contains("/items?") } == 4)
    }

    @Test @LoopActor func aListThatNeverStandsStillIsNotBelieved() async throws {
        let (client, network) = client { request in Array(request..<request + 5 + request % 2) }
        let failure = await #expect(throws: ServiceFailure.self) { try await client.contents(of: Service.plan) }
        #expect(failure?.name == "notUnderstood")
        #expect(network.requests.count <= 8)
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
