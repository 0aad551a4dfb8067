import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// The service does not send an answer again that is unchanged since an earlier run. The stored answer is used only after the service
/// has confirmed it.
@Suite(.onLoop)
struct AnswerStoreTests {
    /// A store in memory.
    @LoopActor
    private final class Shelf: AnswerStore {
        var answers: [Digest: StoredAnswer] = [:]
        private(set) var saves = 0

        func answer(_ name: Digest) -> StoredAnswer? { answers[name] }

        func save(_ answers: [Digest: StoredAnswer?]) {
            saves += 1
            for (name, answer) in answers { self.answers[name] = answer }
        }

        /// Replaces the bodies of all answers.
        func replaceBodies(with text: String) {
            answers = answers.mapValues { StoredAnswer(etag: $0.etag, body: Array(text.utf8), sentAt: $0.sentAt) }
        }
    }

    private static func items(_ title: String) -> String {
        #"{"data":[{"type":"Item","id":"1","attributes":{"title":"\#(title)","sequence":1}}],"links":{}}"#
    }

    /// Answers with `body`, or with 304 if the client already has it; `confirmed` is the tag in the 304 answer.
    @LoopActor private func route(_ service: Service, etag: String = #"W/"a""#, confirmed: String? = nil, _ body: String) {
        service.network.route(.get, Service.attachments, Service.nothing)
        service.network.route(.get, Service.items) { (request) throws(HTTPFailure) in
            let isKnown = request.headers.contains { $0.name == "If-None-Match" && $0.value == etag }
            return HTTPResponse(
                status: isKnown ? 304 : 200, headers: ["etag": isKnown ? confirmed ?? etag : etag], body: isKnown ? [] : Array(body.utf8))
        }
    }

    @LoopActor private func titles(_ service: Service) async throws -> [String] {
        let titles = try await service.client.contents(of: Service.plan).items.map(\.title)
        service.client.saveAnswers()
        return titles
    }

    /// The tag in each request for the running order.
    @LoopActor private func tags(_ service: Service) -> [String?] {
        service.network.requests.filter { $0.url == Service.items }.map { request in
            request.headers.first { $0.name == "If-None-Match" }?.value
        }
    }

    /// A shelf with the answers of one run.
    @LoopActor private func filled(credentials: String = "app:hidden-word") async throws -> Shelf {
        let shelf = Shelf()
        let service = Service(credentials: credentials, answers: shelf)
        route(service, Self.items("Grace"))
        #expect(try await titles(service) == ["Grace"])
        return shelf
    }

    @Test @LoopActor func anotherRunAsksByTheTag() async throws {
        let service = Service(answers: try await filled())
        route(service, Self.items("Grace"))
        #expect(try await titles(service) == ["Grace"])
        #expect(tags(service) == [#"W/"a""#])
    }

    @Test @LoopActor func whatChangedMeanwhileTravelsAndIsKept() async throws {
        let shelf = try await filled()
        let service = Service(answers: shelf)
        route(service, etag: #""b""#, Self.items("Peace"))
        #expect(try await titles(service) == ["Peace"])
        #expect(shelf.answers.values.map(\.etag) == [#""b""#])
    }

    @Test @LoopActor func nothingIsSavedWhereNothingIsDifferent() async throws {
        let shelf = try await filled()
        let service = Service(answers: shelf)
        route(service, Self.items("Grace"))
        for _ in 0..<3 { _ = try await titles(service) }
        #expect(shelf.saves == 1)
    }

    @Test @LoopActor func whoeverElseAsksIsToldInFull() async throws {
        let service = Service(credentials: "other:hidden-word", answers: try await filled())
        route(service, Self.items("Grace"))
        #expect(try await titles(service) == ["Grace"])
        #expect(tags(service) == [nil])
    }

    @Test @LoopActor func aNewSecretOfTheSameAccountChangesNothing() async throws {
        let service = Service(credentials: "app:newer-word", answers: try await filled())
        route(service, Self.items("Grace"))
        _ = try await titles(service)
        #expect(tags(service) == [#"W/"a""#])
    }

    @Test @LoopActor func aTokenThatIsAllSecretLeavesNothingBehind() async throws {
        #expect(try await filled(credentials: "hidden-word").answers.isEmpty)
    }

    @Test @LoopActor func aDayLaterEverythingIsAskedForInFull() async throws {
        let shelf = try await filled()
        for (age, isAsked) in [(86_399, true), (86_401, false), (-60, false)] {
            let service = Service(answers: shelf)
            service.clock.wallTime += .seconds(age)
            // The answer has changed but its tag has not, so the title shows whether the stored answer was used.
            route(service, Self.items("Peace"))
            #expect(try await service.client.contents(of: Service.plan).items.map(\.title) == [isAsked ? "Grace" : "Peace"])
            #expect(tags(service) == [isAsked ? #"W/"a""# : nil])
        }
    }

    @Test @LoopActor func aTagThatNeverChangesIsNotBelievedForEver() async throws {
        let service = Service()
        route(service, Self.items("Grace"))
        _ = try await titles(service)
        route(service, Self.items("Peace"))
        #expect(try await titles(service) == ["Grace"])
        service.clock.wallTime += .seconds(86_401)
        #expect(try await titles(service) == ["Peace"])
    }

    @Test @LoopActor func a304AboutAnotherTagIsAskedForInFull() async throws {
        let service = Service(answers: try await filled())
        route(service, confirmed: #""other""#, Self.items("Peace"))
        #expect(try await titles(service) == ["Peace"])
        #expect(tags(service) == [#"W/"a""#, nil])
    }

    @Test(arguments: ["", "<html>", "{}", #"{"data":"#]) @LoopActor func whatIsNotUnderstoodAnyMoreIsAskedForInFull(text: String)
        async throws
    {
        let shelf = try await filled()
        shelf.replaceBodies(with: text)
        let service = Service(answers: shelf)
        route(service, Self.items("Grace"))
        #expect(try await titles(service) == ["Grace"])
        #expect(tags(service) == [#"W/"a""#, nil])
        #expect(shelf.answers.values.map(\.body) == [Array(Self.items("Grace").utf8)])
    }

    @Test @LoopActor func onlyAWholeAnswerIsKept() async throws {
        let shelf = Shelf()
        let service = Service(answers: shelf)
        service.network.route(.get, Service.attachments, Service.nothing)
        service.network.route(.get, Service.items, status: 203, headers: ["etag": #""a""#], Self.items("Grace"))
        #expect(try await titles(service) == ["Grace"])
        #expect(shelf.answers.isEmpty)
    }
}
