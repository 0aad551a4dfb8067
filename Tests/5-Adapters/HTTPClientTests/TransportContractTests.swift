import HTTPClient
import Platform
import TestSupport
import Testing

/// What every transport promises, whether simulated or real.
@Suite(.onLoop)
struct TransportContractTests {
    enum Kind: CaseIterable, Sendable {
        case curl, simulated
    }

    /// Answers `/file` with "0123456789" and everything else with 404 and "nothing".
    @LoopActor private func with(_ kind: Kind, _ body: @LoopActor (any HTTPTransport, String) async throws -> Void) async throws {
        switch kind {
        case .curl:
            let server = RawServer { $0.path == "/file" ? [.reply("200 OK", "0123456789")] : [.reply("404 Not Found", "nothing")] }
            let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
            defer { transport.close() }
            try await body(transport, server.url(""))
        case .simulated:
            let network = SimulatedNetwork { (_) throws(HTTPFailure) in HTTPResponse(status: 404, body: Array("nothing".utf8)) }
            network.route(.get, "http://127.0.0.1/file", "0123456789")
            try await body(network, "http://127.0.0.1")
        }
    }

    @Test(arguments: Kind.allCases) @LoopActor func anyStatusIsAnAnswer(kind: Kind) async throws {
        try await with(kind) { transport, root in
            let file = try await transport.send(HTTPRequest(.get, root + "/file"))
            let other = try await transport.send(HTTPRequest(.get, root + "/other"))
            #expect(file.status == 200 && file.body == Array("0123456789".utf8))
            #expect(other.status == 404 && other.body == Array("nothing".utf8))
        }
    }

    @Test(arguments: Kind.allCases) @LoopActor func aSinkTakesGoodBodiesOnly(kind: Kind) async throws {
        try await with(kind) { transport, root in
            var seen: [UInt8] = []
            let sink: @LoopActor (UnsafeRawBufferPointer) -> Bool = { piece in
                seen += piece
                return true
            }
            let file = try await transport.send(HTTPRequest(.get, root + "/file"), body: sink)
            let other = try await transport.send(HTTPRequest(.get, root + "/other"), body: sink)
            #expect(seen == Array("0123456789".utf8))
            #expect(file.body.isEmpty)
            #expect(other.status == 404 && other.body == Array("nothing".utf8))
        }
    }

    @Test(arguments: Kind.allCases) @LoopActor func aSinkThatHasEnoughIsAskedNoMore(kind: Kind) async throws {
        try await with(kind) { transport, root in
            var asked = 0
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(HTTPRequest(.get, root + "/file")) { _ in
                    asked += 1
                    return false
                }
            }
            #expect(failure?.kind == .refused)
            #expect(asked == 1)
        }
    }

    @Test(arguments: Kind.allCases) @LoopActor func theCapIsKept(kind: Kind) async throws {
        try await with(kind) { transport, root in
            let whole = try await transport.send(HTTPRequest(.get, root + "/file", maximumBytes: 10))
            #expect(whole.body.count == 10)
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(HTTPRequest(.get, root + "/file", maximumBytes: 9))
            }
            #expect(failure?.kind == .tooLarge)
        }
    }
}
