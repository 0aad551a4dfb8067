import Model
import Platform
import TestSupport
import Testing

@testable import PlanningCenter

@Suite(.onLoop)
struct BackoffTests {
    @LoopActor private func answers(_ service: Service, _ responses: [HTTPResponse]) {
        var rest = responses
        service.network.route(.get, Service.schedules) { (_) throws(HTTPFailure) in
            if rest.count > 1 { return rest.removeFirst() }
            return rest[0]
        }
    }

    private static let good = HTTPResponse(status: 200, body: Array(Service.nothing.utf8))

    @Test @LoopActor func passingTroubleIsGotOver() async throws {
        let service = Service()
        answers(service, [HTTPResponse(status: 502), HTTPResponse(status: 500), Self.good])
        #expect(try await service.client.comingPlans().isEmpty)
        // Two waits, each half of its bound: a quarter and a half of a second.
        #expect(service.clock.waited == .milliseconds(750))
    }

    @Test @LoopActor func lastingTroubleIsToldAfterThreeTries() async {
        let service = Service()
        answers(service, [HTTPResponse(status: 500)])
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == "serverError")
        #expect(service.network.requests.count == 3)
    }

    @Test @LoopActor func aBrokenLineIsTriedAgain() async {
        let service = Service()
        service.network.failure = HTTPFailure(.unreachable, "no route")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure == .offline("no route"))
        #expect(service.network.requests.count == 3)
    }

    @Test @LoopActor func aServiceThatIsDownCostsFewRepeatsInAll() async throws {
        let service = Service()
        service.network.failure = HTTPFailure(.unreachable, "no route")
        for _ in 0..<50 { await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() } }
        #expect(service.network.requests.count == 50 + Backoff.mostRepeatsInARow)
        // A good answer restores the number of tries.
        service.network.failure = nil
        answers(service, [Self.good])
        _ = try await service.client.comingPlans()
        let before = service.network.requests.count
        service.network.failure = HTTPFailure(.unreachable, "no route")
        await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(service.network.requests.count == before + 3)
    }

    @Test @LoopActor func retryAfterOfA503IsKept() async throws {
        let service = Service()
        answers(service, [HTTPResponse(status: 503, headers: ["retry-after": "9"]), Self.good])
        _ = try await service.client.comingPlans()
        #expect(service.clock.waited == .milliseconds(9250))
    }

    @Test @LoopActor func aLong503IsNotWaitedFor() async {
        let service = Service()
        answers(service, [HTTPResponse(status: 503, headers: ["retry-after": "3600"])])
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == "serverError")
        #expect(service.network.requests.count == 1 && service.clock.waited == .zero)
    }

    @Test(arguments: [400, 403, 404, 410]) @LoopActor func whatIsDeniedIsNotAskedAgain(status: Int) async {
        let service = Service()
        answers(service, [HTTPResponse(status: status, headers: ["retry-after": "1"])])
        await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(service.network.requests.count == 1 && service.clock.waited == .zero)
    }

    @Test @LoopActor func anOpeningIsNotRepeated() async {
        let service = Service()
        service.network.failure = HTTPFailure(.interrupted, "broken off")
        let chart = Attachment(id: AttachmentID("1"), filename: "a.pdf")
        await #expect(throws: ServiceFailure.self) { try await service.client.download(chart) { _ in true } }
        #expect(service.network.requests.count == 1)
    }

    @Test @LoopActor func aRefusedTokenIsNotUsedUntilTold() async throws {
        let service = Service()
        let denied = HTTPResponse(status: 401, body: Array("HTTP Basic: Access denied.".utf8))
        answers(service, [denied, denied, Self.good])
        for _ in 0..<3 {
            let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
            #expect(failure?.name == "notAuthorised")
        }
        await #expect(throws: ServiceFailure.self) { try await service.client.contents(of: Service.plan) }
        #expect(service.network.requests.count == 2)
        await service.client.resume()
        #expect(try await service.client.comingPlans().isEmpty)
    }

    @Test @LoopActor func anotherHostCannotSpeakForTheToken() async throws {
        let service = Service(annotationsURL: "https://marks.example.org/v1")
        service.network.route(.get, "https://marks.example.org/v1/layers?where%5Bplan_id%5D=5001&per_page=100", status: 401, "")
        answers(service, [Self.good])
        await #expect(throws: ServiceFailure.self) { try await service.client.layers(of: Service.plan) }
        #expect(try await service.client.comingPlans().isEmpty)
    }

    @Test(arguments: [(0, 0.5), (1, 1), (70, 8)]) func waitsAreSpreadOverAllOfAGrowingBound(number: Int, bound: Double) {
        #expect(Backoff.wait(number, spread: 0) == .zero)
        #expect(Backoff.wait(number, spread: 1) == .seconds(bound))
        #expect(Backoff.wait(number, spread: 0.25) == .seconds(bound / 4))
    }
}
