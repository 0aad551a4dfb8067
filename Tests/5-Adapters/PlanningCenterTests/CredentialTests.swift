import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// Tokens that the service refuses, once or for good, and others that take their place.
@Suite(.onLoop)
struct CredentialTests {
    /// Where a token is kept, as a test changes it.
    @LoopActor
    private final class Keep {
        var token = "app:old"
        var fault: String?
        private(set) var reads = 0

        func read() throws -> Secret {
            reads += 1
            if let fault { throw Fault(description: fault) }
            return Secret(token)
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// A service that takes one token only, with a client that begins with another.
    @LoopActor private func service(taking good: String, isCheap: Bool, _ keep: Keep) -> Service {
        let service = Service(credentialSource: CredentialSource(isCheap: isCheap) { _ in try keep.read() })
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
        let keep = Keep()
        let service = service(taking: "app:new", isCheap: isCheap, keep)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == "notAuthorised")
        keep.token = "app:new"
        await service.client.resume()
        #expect(try await service.client.comingPlans().isEmpty)
        #expect(service.network.requests.last?.credentials == Secret("app:new"))
    }

    @Test @LoopActor func aFileIsReadAtEachPollAndACommandOnlyWhereItHasTo() async throws {
        for isCheap in [true, false] {
            let keep = Keep()
            let service = service(taking: "app:hidden-word", isCheap: isCheap, keep)
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
        let service = service(taking: "app:another", isCheap: false, keep)
        for poll in 1...3 {
            await service.client.resume()
            for _ in 0..<4 { await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() } }
            #expect(keep.reads == poll)
        }
    }

    @Test @LoopActor func severalThatAreRefusedAtOnceReadItOnce() async throws {
        let keep = Keep()
        keep.token = "app:new"
        let service = service(taking: "app:new", isCheap: false, keep)
        let client = service.client
        let tasks = (0..<5).map { _ in spawn { (try? await client.comingPlans()) != nil } }
        for task in tasks { #expect(await task.value) }
        #expect(keep.reads == 1)
    }

    @Test @LoopActor func whyItCannotBeReadIsTold() async throws {
        let keep = Keep()
        keep.fault = "no token: /home/anna/token is empty"
        let service = service(taking: "app:new", isCheap: false, keep)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.description.contains("/home/anna/token is empty") == true)
    }

    @Test @LoopActor func oneThatIsAboutToExpireIsReadBeforeItIsUsed() async throws {
        let keep = Keep()
        keep.token = "new"
        let source = CredentialSource(
            isDue: { $0 == Secret("old") }, isElsewhere: { true }, first: { Secret("old") }, read: { _ in try keep.read() })
        let service = Service(credentials: "old", credentialSource: source)
        service.network.route(.get, Service.schedules) { (request) throws(HTTPFailure) in
            HTTPResponse(status: request.credentials?.revealed == "new" ? 200 : 401, body: Array(Service.nothing.utf8))
        }
        for _ in 0..<3 { #expect(try await service.client.comingPlans().isEmpty) }
        #expect(keep.reads == 1 && service.network.requests.allSatisfy { $0.credentials == Secret("new") })
    }

    @Test @LoopActor func whereItCannotBeRenewedForNowNobodyIsSentToSignInAgain() async throws {
        var renewals = 0
        let source = CredentialSource(isCheap: false) { _ in
            renewals += 1
            if renewals == 1 { throw ServiceFailure.serverError(status: 503, "") }
            return Secret("app:new")
        }
        let service = Service(credentialSource: source)
        service.network.route(.get, Service.schedules) { (request) throws(HTTPFailure) in
            HTTPResponse(status: request.credentials?.revealed == "app:new" ? 200 : 401, body: Array(Service.nothing.utf8))
        }
        await #expect(throws: ServiceFailure.serverError(status: 503, "")) { try await service.client.comingPlans() }
        #expect(!service.client.isRefused)
        #expect(try await service.client.comingPlans().isEmpty)
    }
}
