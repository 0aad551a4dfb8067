import LocalHTTP
import Platform
import TestSupport
import Testing

@testable import Viewer

/// A viewer with an entrance for the network, and browsers at that entrance.
extension Scene {
    nonisolated static let token = "correct-horse+battery=%2B"
    /// The form as a browser sends it.
    nonisolated static let right = "token=\(token)\r\n"
    /// Another address of this machine stands for one on the network.
    nonisolated static let elsewhere = "127.0.0.2"

    static func entrance(_ address: String = elsewhere, names: [String] = ["tablet-calls.lan"]) throws -> Scene {
        let address = try #require(IPAddress(address))
        return try Scene(network: ViewerSettings.Network(address: address, names: names, token: Secret(token)))
    }

    var url: String { "http://\(Self.elsewhere):\(port)" }

    /// Sends the form; given headers replace the browser's.
    func give(_ body: String, headers: [(String, String)] = [], from source: String? = nil) async throws -> HTTPProbe.Reply {
        let usual = [("Origin", url), ("Content-Type", "text/plain")].filter { mine in !headers.contains { $0.0 == mine.0 } }
        let all = usual + headers.filter { !$0.1.isEmpty }
        return try await Self.send("POST", url + "/", headers: all, body: Array(body.utf8), from: source)
    }

    static func isForm(_ reply: HTTPProbe.Reply) -> Bool {
        reply.text.contains("name=\"token\"") && reply.headers["set-cookie"] == nil && !reply.text.contains(token)
            && !reply.text.contains("woodshed-token")
    }
}
