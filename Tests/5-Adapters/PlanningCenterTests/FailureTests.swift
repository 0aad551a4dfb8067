import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct FailureTests {
    /// Requests the coming plans from a service that sends this response, and returns the failure.
    @LoopActor private func failure(_ status: Int, headers: [String: String] = [:], _ body: String) async -> ServiceFailure? {
        let service = Service()
        service.network.route(.get, Service.schedules, status: status, headers: headers, body)
        return await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
    }

    @Test @LoopActor func aBadTokenInPlainTextIsNotAuthorised() async {
        let failure = await failure(401, "HTTP Basic: Access denied.\n")
        #expect(failure == .notAuthorised(""))
        #expect(failure?.brief == "the service does not accept your token")
    }

    @Test @LoopActor func noAccessIsForbidden() async {
        let body = #"{"errors":[{"code":"403","title":"Forbidden","detail":"Error Code Hint: (TRASH_PANDA)"}]}"#
        let failure = await failure(403, body)
        #expect(failure?.name == "forbidden")
        #expect(failure?.description.contains("TRASH_PANDA") == true)
    }

    @Test(arguments: [200, 502]) @LoopActor func aWebPageIsNoAnswer(status: Int) async {
        let failure = await failure(status, "\n <!DOCTYPE html><title>Log in</title>")
        #expect(failure?.name == (status == 200 ? "notUnderstood" : "serverError"))
        #expect(failure?.description.contains("DOCTYPE") == false)
        if status == 200 { #expect(failure?.description.contains("web page") == true) }
    }

    /// Where there is little room, only the event is shown, without the advice. A semicolon in a server's own text must not cut it short.
    @Test func adviceFollowsWhatHappened() {
        let failure = ServiceFailure.serverError(status: 500, "down; back soon. Or not")
        #expect(failure.brief == "the service has a fault (500: down; back soon. Or not)")
        #expect(failure.description == "\(failure.brief); try again later")
        #expect(ServiceFailure.noService.brief == ServiceFailure.noService.description)
    }

    @Test @LoopActor func brokenJSONIsNotUnderstood() async {
        #expect(await failure(200, #"{"data":[{"type""#)?.name == "notUnderstood")
    }

    @Test(arguments: [
        (404, "missing"), (410, "missing"), (500, "serverError"), (503, "serverError"), (400, "notUnderstood"), (302, "refused"),
    ])
    @LoopActor func otherStatusesHaveTheirKind(status: Int, name: String) async {
        #expect(await failure(status, #"{"errors":[{"title":"No"}]}"#)?.name == name)
    }

    @Test(arguments: [
        (HTTPFailure.Kind.unreachable, "offline"), (.interrupted, "offline"), (.refused, "refused"), (.tooLarge, "refused"),
        (.cancelled, "cancelled"),
    ])
    @LoopActor func failedExchangesHaveTheirKind(kind: HTTPFailure.Kind, name: String) async {
        let service = Service()
        service.network.failure = HTTPFailure(kind, "no")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.name == name)
    }

    @Test @LoopActor func a429IsWaitedForAndAskedAgain() async throws {
        let service = Service()
        var answers = [
            HTTPResponse(status: 429, headers: ["retry-after": "7"], body: Array("slow down".utf8)),
            HTTPResponse(status: 200, body: Array(Service.nothing.utf8)),
        ]
        service.network.route(.get, Service.schedules) { (_) throws(HTTPFailure) in answers.removeFirst() }
        #expect(try await service.client.comingPlans().isEmpty)
        #expect(service.clock.waited == .milliseconds(7500))
    }

    @Test @LoopActor func a429ThatLastsIsTold() async {
        let service = Service()
        service.network.route(.get, Service.schedules, status: 429, headers: ["retry-after": "5"], "")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure == .rateLimited(retryAfter: .seconds(5)))
        #expect(service.network.requests.count == 3)
    }

    @Test @LoopActor func aVeryLongWaitIsLeftToTheCaller() async {
        let service = Service()
        service.network.route(.get, Service.schedules, status: 429, headers: ["retry-after": "3600"], "")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure == .rateLimited(retryAfter: .seconds(3600)))
        #expect(service.clock.waited == .zero)
    }

    @Test @LoopActor func halfTheLimitIsLeftToOthers() async throws {
        let service = Service()
        service.network.route(
            .get, Service.schedules,
            headers: [
                "x-pco-api-request-rate-limit": "10", "x-pco-api-request-rate-period": "30 seconds", "x-pco-api-request-rate-count": "1",
            ], Service.nothing)
        for _ in 0..<5 { _ = try await service.client.comingPlans() }
        #expect(service.clock.waited == .zero)
        _ = try await service.client.comingPlans()
        #expect(service.clock.waited == .seconds(30))
    }

    @Test @LoopActor func requestsOfOthersCount() async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, headers: ["x-pco-api-request-rate-count": "50"], Service.nothing)
        _ = try await service.client.comingPlans()
        #expect(service.clock.waited == .zero)
        _ = try await service.client.comingPlans()
        #expect(service.clock.waited == .seconds(20))
    }

    @Test(arguments: ["", " \n", "<h1>Sorry</h1>"]) @LoopActor func aStatusIsNotItsOwnReason(body: String) async {
        let failure = await failure(500, body)
        #expect(failure?.description.contains("500") == true)
        #expect(failure?.description.contains("status 500") == false)
    }

    /// Headers may contain absurd numbers that no server can mean.
    @Test(
        arguments: ["x-pco-api-request-rate-limit", "x-pco-api-request-rate-period", "x-pco-api-request-rate-count", "retry-after"],
        ["9223372036854775807", "9223372036854775808", "-9223372036854775808", String(repeating: "9", count: 400), "0", "-1", "1e99", "x"])
    @LoopActor func absurdHeadersStopNothingForGood(header: String, number: String) async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, headers: [header: number], Service.nothing)
        for _ in 0..<120 { _ = try await service.client.comingPlans() }
        service.network.route(.get, Service.schedules, status: 429, headers: [header: number], "")
        await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        service.network.route(.get, Service.schedules, status: 503, headers: [header: number], "")
        await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(service.clock.waited < .seconds(86_400))
    }

    @Test @LoopActor func noSecretIsLoggedOrTold() async {
        let service = Service()
        service.network.route(.get, Service.schedules, status: 500, "")
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.comingPlans() }
        #expect(failure?.description.contains("hidden-word") == false)
        #expect(service.lines.all.allSatisfy { !$0.contains("hidden-word") })
    }
}
