import Model
import Platform
import TestSupport
import Testing

@testable import PlanningCenter

/// Unchanged answers are not sent twice.
@Suite(.onLoop)
struct ConditionalTests {
    private static func item(_ id: Int, next: String? = nil) -> String {
        #"{"data":[{"type":"Item","id":"\#(id)","attributes":{"title":"t","sequence":\#(id)}}],"links":{\#(next.map { #""next":"\#($0)""# } ?? "")}}"#
    }

    /// Answers with `body`, or with 304 if the client already has it.
    @LoopActor private func route(_ service: Service, _ url: String, etag: String, _ body: String) {
        service.network.route(.get, url) { (request) throws(HTTPFailure) in
            let isKnown = request.headers.contains { $0.name == "If-None-Match" && $0.value == etag }
            return HTTPResponse(status: isKnown ? 304 : 200, headers: ["etag": etag], body: isKnown ? [] : Array(body.utf8))
        }
    }

    /// A client without a stored answer treats "Not modified" as an error. As an answer without entries, it would empty a plan.
    @Test @LoopActor func nothingHasChangedIsNoAnswerToWhoHasNothing() async throws {
        let service = Service()
        service.network.route(.get, Service.attachments, Service.nothing)
        for body in ["", #"{"data":[],"links":{}}"#] {
            service.network.route(.get, Service.items) { (_) throws(HTTPFailure) in
                HTTPResponse(status: 304, headers: ["etag": #""a""#], body: Array(body.utf8))
            }
            let expected = ServiceFailure.notUnderstood(
                what: "the running order of Advent",
                why: "the service says that it has not changed, but there is nothing here to compare it with")
            await #expect(throws: expected) { try await service.client.contents(of: Service.plan) }
        }
    }

    @Test(arguments: [#"W/"a""#, #""a""#]) @LoopActor func aListIsAskedForByItsTagPageByPage(tag: String) async throws {
        let service = Service()
        service.network.route(.get, Service.attachments, Service.nothing)
        route(service, Service.items, etag: tag, Self.item(1, next: Service.items + "&offset=1"))
        route(service, Service.items + "&offset=1", etag: #""second""#, Self.item(2))
        let first = try await service.client.contents(of: Service.plan)
        let second = try await service.client.contents(of: Service.plan)
        #expect(first.items.count == 2 && first == second)
        let sent = service.network.requests.map { request in request.headers.first { $0.name == "If-None-Match" }?.value }
        #expect(sent == [nil, nil, nil, tag, #""second""#, nil])

        // One page changes; the unchanged one is still not sent again.
        route(service, Service.items + "&offset=1", etag: #""third""#, Self.item(3))
        let third = try await service.client.contents(of: Service.plan)
        #expect(third.items.map(\.id.text) == ["1", "3"])
    }

    @Test @LoopActor func layersAreAskedForByTheirTag() async throws {
        let service = Service()
        route(service, Service.layers, etag: #""r1""#, Service.nothing)
        for _ in 0..<2 { #expect(try await service.client.layers(of: Service.plan)?.layers == []) }
        #expect(service.network.requests.last?.headers.contains { $0.name == "If-None-Match" && $0.value == #""r1""# } == true)
    }

    @Test @LoopActor func aBrokenAnswerIsNotKept() async throws {
        let service = Service()
        route(service, Service.schedules, etag: #""x""#, "<html>log in</html>")
        for _ in 0..<2 { await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() } }
        #expect(service.network.requests.allSatisfy { !$0.headers.contains { $0.name == "If-None-Match" } })
    }

    @Test @LoopActor func a304ToNoQuestionIsNotUnderstood() async {
        let service = Service()
        service.network.route(.get, Service.schedules, status: 304, "")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == "notUnderstood")
    }

    @Test(arguments: ["", "abc", "\"", "\"a b\"", "W/abc", "\"\(String(repeating: "x", count: 300))\""]) @LoopActor
    func oddTagsAreNotSentBack(tag: String) async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, headers: ["etag": tag], Service.nothing)
        for _ in 0..<2 { _ = try await service.client.comingPlans() }
        #expect(service.network.requests.allSatisfy { !$0.headers.contains { $0.name == "If-None-Match" } })
    }

    @Test @LoopActor func whatIsKeptForOneRunHasALimitAndTheOldestGoesFirst() throws {
        func name(_ number: Int) -> Digest { SHA256.digest(of: "\(number)") }
        func answer(_ size: Int, at time: Int) -> StoredAnswer {
            StoredAnswer(etag: "\"1\"", body: [UInt8](repeating: 0, count: size - 3), sentAt: Timestamp(nanoseconds: Int64(time)))
        }
        let store = MemoryAnswers(limit: 400)
        for number in 0..<4 { store.save([name(number): answer(100, at: number)]) }
        #expect((0..<4).allSatisfy { store.answer(name($0)) != nil })
        store.save([name(0): answer(100, at: 4), name(4): answer(100, at: 5)])
        #expect((0..<5).filter { store.answer(name($0)) == nil } == [1])
        store.save([name(0): Optional<StoredAnswer>.none, name(5): answer(500, at: 6)])
        #expect((0..<6).filter { store.answer(name($0)) != nil } == [2, 3, 4])
    }

    /// For credentials without a name, answers are kept in memory only. A run may last for days, so they must still be used in it.
    @Test(arguments: ["hidden-word", "app:hidden-word"]) @LoopActor func whatWasSavedIsStillKnownInTheSameRun(credentials: String)
        async throws
    {
        let service = Service(credentials: credentials)
        service.network.route(.get, Service.attachments, Service.nothing)
        route(service, Service.items, etag: #""a""#, Self.item(1))
        for _ in 0..<2 {
            #expect(try await service.client.contents(of: Service.plan).items.count == 1)
            service.client.saveAnswers()
        }
        let sent = service.network.requests.filter { $0.url == Service.items }.map { $0.headers.contains { $0.name == "If-None-Match" } }
        #expect(sent == [false, true])
    }
}
