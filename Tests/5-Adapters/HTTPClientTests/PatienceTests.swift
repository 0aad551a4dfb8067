import HTTPClient
import Platform
import TestSupport
import Testing

/// While a person waits for a command, a stalled transfer ends soon, but a transfer that makes progress may finish.
@Suite(.onLoop)
struct PatienceTests {
    @LoopActor private func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        return try await transport.send(request)
    }

    private static let drip = Array(repeating: RawServer.Step.pause(milliseconds: 20, then: "x"), count: 500)
    static let silences: [String: [RawServer.Step]] = [
        "no answer": [.waitForClose],
        "a head and then nothing": [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"), .waitForClose],
        "half and then nothing": [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n"), .send(String(repeating: "x", count: 5000)), .waitForClose,
        ],
        "a head by the byte": [.send("HTTP/1.1 200 OK\r\nX-Y: ")] + drip,
        "a body by the byte": [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")] + drip,
        "a redirect and then nothing": [.redirect(to: "/")],
    ]

    @Test(arguments: silences.keys.sorted()) @LoopActor func silenceEndsWhenPatienceDoes(what: String) async throws {
        let steps = try #require(Self.silences[what])
        let server = RawServer { $0.path == "/" ? [.waitForClose] : steps }
        var request = HTTPRequest(.get, server.url("/file"), timeout: .seconds(50))
        request.patience = .milliseconds(300)
        let start = SystemClock().now
        let failure = await #expect(throws: HTTPFailure.self) { try await send(request) }
        // The request must fail well before the drip ends, and before libcurl's own limits.
        #expect(SystemClock().now - start < .seconds(8))
        #expect(failure?.kind == .interrupted && failure?.message.contains("does not answer") == true)
    }

    /// The total time does not matter while data arrives.
    @Test @LoopActor func whatMovesIsWaitedFor() async throws {
        let piece = String(repeating: "x", count: 3000)
        let server = RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n")]
                + Array(repeating: .pause(milliseconds: 80, then: piece), count: 30)
        }
        var request = HTTPRequest(.get, server.url("/file"))
        // The patience is shorter than the whole transfer, but longer than a busy machine may stall.
        request.patience = .seconds(2)
        #expect(try await send(request).body.count == 90_000)
    }
}
