import HTTPClient
import Platform
import TestSupport
import Testing

/// Addresses given by other people must not lead into this machine or its network.
@Suite(.onLoop)
struct PrivateHostTests {
    @LoopActor private func with(_ body: @LoopActor (CurlTransport) async throws -> Void) async throws {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        try await body(transport)
    }

    private static func guarded(_ url: String) -> HTTPRequest {
        var request = HTTPRequest(.get, url, timeout: .seconds(20))
        request.allowsPrivateHosts = false
        return request
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.0.0.1", "127.1"]) @LoopActor
    func thisMachineIsNotAsked(host: String) async throws {
        let server = RawServer { _ in [.reply("200 OK", "private")] }
        try await with { transport in
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(Self.guarded("http://\(host):\(server.port)/?signature=hidden"))
            }
            #expect(failure?.kind == .refused)
            #expect(failure?.message.contains("own network") == true)
            #expect(failure?.message.contains("hidden") == false)
        }
        #expect(server.accepted == 0)
    }

    @Test(arguments: ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[::ffff:10.0.0.1]", "[fd00::1]", "224.0.0.1", "0.0.0.0"])
    @LoopActor func itsNetworkIsNotAsked(host: String) async throws {
        try await with { transport in
            let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(Self.guarded("https://\(host)/")) }
            #expect(failure?.kind == .refused)
            #expect(failure?.message.contains("own network") == true)
        }
    }

    /// The name is neither `localhost` nor a number: only the address that it resolves to reveals that it leads to this machine.
    @Test @LoopActor func aNameThatLeadsHereIsRefusedAtItsSocket() async throws {
        try await with { transport in
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(Self.guarded("https://files.localhost:\(RawServer.closedPort())/"))
            }
            #expect(failure?.kind == .refused)
            #expect(failure?.message.contains("own network") == true)
        }
    }

    @Test @LoopActor func aConnectionThatIsThereAlreadyIsNotUsed() async throws {
        let server = RawServer { _ in [.reply("200 OK", "private")] }
        try await with { transport in
            let first = try await transport.send(HTTPRequest(.get, server.url("/")))
            #expect(first.isFromPrivateHost)
            let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(Self.guarded(server.url("/"))) }
            #expect(failure?.kind == .refused)
        }
        #expect(server.requests.count == 1)
    }

    @Test @LoopActor func aServiceOfThisMachineMayRedirectWithinIt() async throws {
        let other = RawServer { _ in [.reply("200 OK", "bytes")] }
        let elsewhere = other.url("/file")
        let server = RawServer { _ in [.redirect(to: elsewhere)] }
        try await with { transport in
            let response = try await transport.send(HTTPRequest(.get, server.url("/")))
            #expect(response.body == Array("bytes".utf8))
            #expect(response.isFromPrivateHost)
        }
    }

    @LoopActor private final class Events {
        var lines: [String] = []
    }

    @LoopActor private func request(_ url: String, wants: Bool, _ events: Events) -> HTTPRequest {
        var request = HTTPRequest(.get, url)
        request.onHead = { head in
            events.lines.append("\(head.status) \(head.headers["etag"] ?? "")")
            return wants
        }
        return request
    }

    @Test @LoopActor func theHeadIsReportedOnceBeforeTheBodyAndMayEndIt() async throws {
        let body = String(repeating: "x", count: 200_000)
        let server = RawServer { request in
            request.path == "/gone" ? [.reply("404 Not Found", "no")] : [.reply("206 Partial Content", headers: ["ETag: \"a\""], body)]
        }
        try await with { transport in
            let events = Events()
            _ = try await transport.send(request(server.url("/"), wants: true, events)) { _ in
                if events.lines.last != "piece" { events.lines.append("piece") }
                return true
            }
            #expect(events.lines == ["206 \"a\"", "piece"])
            let failure = await #expect(throws: HTTPFailure.self) {
                try await transport.send(request(server.url("/"), wants: false, events)) { _ in
                    Issue.record("a body that was not wanted reached the sink")
                    return true
                }
            }
            #expect(failure?.kind == .refused)
            events.lines = []
            _ = try await transport.send(request(server.url("/gone"), wants: true, events)) { _ in true }
            #expect(events.lines.isEmpty)
        }
    }
}
