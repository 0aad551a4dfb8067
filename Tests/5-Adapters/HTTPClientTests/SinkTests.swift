import HTTPClient
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct SinkTests {
    @LoopActor private func makeTransport() -> CurlTransport {
        CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
    }

    @Test @LoopActor func aBodyArrivesWholeAndInPieces() async throws {
        let body = String(repeating: "0123456789", count: 30_000)
        let server = RawServer { _ in [.reply("200 OK", body)] }
        let transport = makeTransport()
        defer { transport.close() }
        var seen: [UInt8] = []
        var pieces = 0
        let response = try await transport.send(HTTPRequest(.get, server.url("/"))) { piece in
            seen += piece
            pieces += 1
            return true
        }
        #expect(seen == Array(body.utf8))
        #expect(pieces > 1)
        #expect(response.body.isEmpty)
        #expect(server.requests.first?.headers["accept-encoding"] == "identity")
    }

    @Test @LoopActor func anErrorsBodyDoesNotGoToTheSink() async throws {
        let server = RawServer { _ in [.reply("403 Forbidden", "no")] }
        let transport = makeTransport()
        defer { transport.close() }
        let response = try await transport.send(HTTPRequest(.get, server.url("/"))) { _ in
            Issue.record("an error's body reached the sink")
            return true
        }
        #expect(response.status == 403)
        #expect(response.body == Array("no".utf8))
    }

    @Test @LoopActor func aSinkThatHasEnoughEndsTheTransfer() async throws {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), .waitForClose] }
        let transport = makeTransport()
        defer { transport.close() }
        let failure = await #expect(throws: HTTPFailure.self) {
            try await transport.send(HTTPRequest(.get, server.url("/"))) { _ in false }
        }
        #expect(failure?.kind == .refused)
    }

    @Test @LoopActor func theCapHoldsForSinksToo() async throws {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 200)), .close] }
        let transport = makeTransport()
        defer { transport.close() }
        var count = 0
        let failure = await #expect(throws: HTTPFailure.self) {
            try await transport.send(HTTPRequest(.get, server.url("/"), maximumBytes: 100)) { piece in
                count += piece.count
                return true
            }
        }
        #expect(failure?.kind == .tooLarge)
        #expect(count <= 100)
    }
}
