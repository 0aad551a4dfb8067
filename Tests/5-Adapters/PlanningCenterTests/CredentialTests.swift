import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// Tokens that the service refuses, once or permanently, and the tokens that replace them.
@Suite(.onLoop)
struct CredentialTests {
    /// A token's storage, which a test changes.
    @LoopActor
    private final class Keep: CredentialSource {
        nonisolated let isCheap: Bool
        var token = "app:old"
        var fault: (any Error)?
        private(set) var reads = 0

        /// The token that is due for renewal, if any.
        var due: Secret?

        nonisolated init(isCheap: Bool = false) { self.isCheap = isCheap }

        func isDue(_ token: Secret) -> Bool { token == due }

        func read(wasRefused: Bool) throws -> Secret {
            reads += 1
            if let fault { throw fault }
            return Secret(token)
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// A service that accepts only the token `good`, with a client that begins with another.
    @LoopActor private func service(taking good: String, _ keep: Keep) -> Service {
        let service = Service(credentialSource: keep)
        service.network.route(.get, Service.schedules) { (request) throws(HTTPFailure) in
            let isGood = request.credentials?.revealed == good
            return HTTPResponse(status: isGood ? 200 : 401, body: Array((isGood ? Service.nothing : "Access denied.").utf8))
        }
        return service
    }

    @Test @LoopActor func oneRefusalIsASlip() async throws {
        let service = Service()
        var answers = [HTTPResponse(status: 401), HTTPResponse(status: 200, body: Array(Service.nothing.utf8))]
        service.network.route(.get, Service.schedules) { (_) throws(HTTPFailure) in answers.removeFirst() }
        #expect(try await service.client.comingPlans().isEmpty)
        #expect(!service.client.isRefused && service.clock.waited == .seconds(1))
    }

    @Test(arguments: [true, false]) @LoopActor func anotherTokenIsReadWhereTheOldOneIsRefused(isCheap: Bool) async throws {
        let keep = Keep(isCheap: isCheap)
        let service = service(taking: "app:new", keep)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == "notAuthorised")
        keep.token = "app:new"
        await service.client.resume()
        #expect(try await service.client.comingPlans().isEmpty)
        #expect(service.network.requests.last?.credentials == Secret("app:new"))
    }

    @Test @LoopActor func aFileIsReadAtEachPollAndACommandOnlyWhereItHasTo() async throws {
        for isCheap in [true, false] {
            let keep = Keep(isCheap: isCheap)
            let service = service(taking: "app:hidden-word", keep)
            keep.token = "app:hidden-word"
            for _ in 0..<5 {
                await service.client.resume()
                _ = try await service.client.comingPlans()
            }
            #expect(keep.reads == (isCheap ? 5 : 0))
        }
    }

    @Test @LoopActor func aCommandIsAskedOnceAPollHoweverMuchIsRefused() async throws {
        let keep = Keep()
        let service = service(taking: "app:another", keep)
        for poll in 1...3 {
            await service.client.resume()
            for _ in 0..<4 { await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() } }
            #expect(keep.reads == poll)
        }
    }

    @Test @LoopActor func severalThatAreRefusedAtOnceReadItOnce() async throws {
        let keep = Keep()
        keep.token = "app:new"
        let service = service(taking: "app:new", keep)
        let client = service.client
        let tasks = (0..<5).map { _ in spawn { (try? await client.comingPlans()) != nil } }
        for task in tasks { #expect(await task.value) }
        #expect(keep.reads == 1)
    }

    @Test @LoopActor func whyItCannotBeReadIsTold() async throws {
        let keep = Keep()
        keep.fault = Fault(description: "no token: /home/anna/token is empty")
        let service = service(taking: "app:new", keep)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.description.contains("/home/anna/token is empty") == true)
    }

    @Test @LoopActor func oneThatIsAboutToExpireIsReadBeforeItIsUsed() async throws {
        let keep = Keep()
        keep.token = "new"
        keep.due = Secret("old")
        let service = Service(credentials: "old", credentialSource: keep)
        service.network.route(.get, Service.schedules) { (request) throws(HTTPFailure) in
            HTTPResponse(status: request.credentials?.revealed == "new" ? 200 : 401, body: Array(Service.nothing.utf8))
        }
        for _ in 0..<3 { #expect(try await service.client.comingPlans().isEmpty) }
        #expect(keep.reads == 1 && service.network.requests.allSatisfy { $0.credentials == Secret("new") })
    }

    @Test @LoopActor func whereItCannotBeRenewedForNowNobodyIsSentToSignInAgain() async throws {
        let keep = Keep()
        keep.fault = ServiceFailure.serverError(status: 503, "")
        let service = Service(credentialSource: keep)
        service.network.route(.get, Service.schedules) { (request) throws(HTTPFailure) in
            HTTPResponse(status: request.credentials?.revealed == "app:new" ? 200 : 401, body: Array(Service.nothing.utf8))
        }
        await #expect(throws: ServiceFailure.serverError(status: 503, "")) { try await service.client.comingPlans() }
        #expect(!service.client.isRefused)
        (keep.fault, keep.token) = (nil, "app:new")
        #expect(try await service.client.comingPlans().isEmpty)
    }
}
