import Platform
import TestSupport

@testable import Nextcloud

/// A simulated Nextcloud for log-ins with a browser, with answers that a test sets.
@LoopActor
final class SimulatedNextcloud {
    nonisolated static let host = "https://cloud.example"
    nonisolated static let endpoint = host + "/login/v2/poll"
    nonisolated static let page = host + "/login/v2/flow/abc"
    nonisolated static let begun = #"{"poll":{"token":"t+k","endpoint":"\#(endpoint)"},"login":"\#(page)"}"#
    nonisolated static let granted = #"{"server":"https://cloud.example","loginName":"anna","appPassword":"s3cr:et"}"#

    let clock = SimulatedClock()
    private(set) lazy var network = SimulatedNetwork()
    /// The answers to polls, in order. After the last, the server answers that nobody has logged in yet.
    var answers: [Result<HTTPResponse, HTTPFailure>] = []

    nonisolated init() {}

    /// The requests to the polling endpoint.
    var polls: [HTTPRequest] { network.requests.filter { $0.url == Self.endpoint } }

    nonisolated static func response(_ body: String, status: Int = 200, _ headers: [String: String] = [:]) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    func begin(
        at address: String = host + "/remote.php/dav/files/anna/Our Bänd", _ response: HTTPResponse = response(begun)
    ) async throws -> NextcloudSignIn {
        network.route(.post, Self.host + "/index.php/login/v2") { (_) throws(HTTPFailure) in response }
        network.route(.post, Self.endpoint) { [unowned self] (_) throws(HTTPFailure) in
            answers.isEmpty ? Self.response("[]", status: 404) : try answers.removeFirst().get()
        }
        return try await NextcloudSignIn.begin(at: address, userAgent: "Woodshed (desk)", transport: network, time: clock)
    }

    /// Begins a log-in, and waits for its end while the server gives `answers` to the polls.
    func access(_ answers: [Result<HTTPResponse, HTTPFailure>]) async throws -> NextcloudAccess {
        self.answers = answers
        return try await clock.run { try await begin().access() }
    }

    /// The message of the error that `body` throws.
    func trouble(_ body: @LoopActor () async throws -> Void) async -> String {
        do {
            try await body()
            return "no trouble"
        } catch {
            return "\(error)"
        }
    }
}
