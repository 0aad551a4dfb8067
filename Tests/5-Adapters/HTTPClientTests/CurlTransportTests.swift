import Platform
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.onLoop)
struct CurlTransportTests {
    @LoopActor private func withTransport(
        limits: CurlLimits = CurlLimits(), _ body: @LoopActor (CurlTransport) async throws -> Void
    ) async throws {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true, limits: limits)
        defer { transport.close() }
        try await body(transport)
    }

    @Test @LoopActor func getBringsStatusHeadersAndBody() async throws {
        let server = RawServer { _ in [.reply("404 Not Found", headers: ["X-Word: First", "x-word:  Last  "], "nothing")] }
        try await withTransport { transport in
            let response = try await transport.send(HTTPRequest(.get, server.url("/a?b=c"), headers: [("X-Asked", "yes")]))
            #expect(response.status == 404)
            #expect(response.headers["x-word"] == "Last")
            #expect(response.body == Array("nothing".utf8))
        }
        let request = try #require(server.requests.first)
        #expect(request.line == "GET /a?b=c HTTP/1.1")
        #expect(request.headers["x-asked"] == "yes")
        #expect(request.headers["user-agent"] == "woodshed-tests/1")
        #expect(request.headers["authorization"] == nil)
    }

    @Test @LoopActor func postHasNoBodyAndIsNotRedirected() async throws {
        let server = RawServer { _ in [.redirect(to: "/elsewhere")] }
        try await withTransport { transport in
            let response = try await transport.send(HTTPRequest(.post, server.url("/open")))
            #expect(response.status == 302)
        }
        #expect(server.requests.map(\.line) == ["POST /open HTTP/1.1"])
        #expect(server.requests.first?.headers["content-length"] == "0")
        #expect(server.requests.first?.headers["content-type"] == nil)
    }

    @Test @LoopActor func headersOfAnInterimAnswerAreForgotten() async throws {
        let server = RawServer { _ in
            [.send("HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\n"), .reply("200 OK", "whole")]
        }
        try await withTransport { transport in
            let response = try await transport.send(HTTPRequest(.get, server.url("/")))
            #expect(response.status == 200)
            #expect(response.headers["link"] == nil)
        }
    }

    @Test @LoopActor func cookiesAreNotKept() async throws {
        let server = RawServer { _ in [.reply(headers: ["Set-Cookie: session=1"])] }
        try await withTransport { transport in
            for _ in 0..<2 { _ = try await transport.send(HTTPRequest(.get, server.url("/"))) }
        }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil })
    }

    @Test @LoopActor func connectionIsUsedAgain() async throws {
        let server = RawServer { _ in [.reply("200 OK", "x")] }
        try await withTransport { transport in
            for _ in 0..<3 { _ = try await transport.send(HTTPRequest(.get, server.url("/"))) }
        }
        #expect(server.requests.count == 3)
        #expect(server.accepted == 1)
    }

    @Test @LoopActor func fiftyRequestsAtOnceShareSixConnections() async throws {
        let server = RawServer { request in [.reply("200 OK", request.path)] }
        try await withTransport { transport in
            let tasks = (0..<50).map { number in
                spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/\(number)"))).body }
            }
            for (number, task) in tasks.enumerated() {
                let body = try await task.value
                #expect(body == Array("/\(number)".utf8))
            }
        }
        #expect(server.requests.count == 50)
        #expect(server.accepted <= 6)
    }

    @Test @LoopActor func headersCannotBeSmuggledIn() async throws {
        let server = RawServer { _ in [.reply()] }
        try await withTransport { transport in
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(HTTPRequest(.get, server.url("/"), headers: [("If-None-Match", "a\r\nX-Evil: 1")]))
            }
            #expect(failure?.kind == .refused)
        }
        #expect(server.requests.isEmpty)
    }

    @Test @LoopActor func nothingIsWatchedWhileAConnectionIsKept() async throws {
        let server = RawServer { _ in [.reply("200 OK", "x")] }
        try await withTransport { transport in
            _ = try await transport.send(HTTPRequest(.get, server.url("/")))
            #expect(transport.isIdle)
        }
    }
}
