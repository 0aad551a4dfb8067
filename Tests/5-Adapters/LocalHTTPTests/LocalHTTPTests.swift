import Glibc
import LocalHTTP
import Model
import Platform
import Synchronization
import TestSupport
import Testing

/// Records the requests that reach a handler.
private final class Asked: Sendable {
    let requests = Mutex<[WebRequest]>([])
    let over = Mutex(0)

    var count: Int { requests.withLock(\.count) }
    var first: WebRequest? { requests.withLock(\.first) }

    func server(limits: WebLimits = WebLimits()) throws -> WebServer {
        try WebServer(limits: limits) { request in
            self.requests.withLock { $0.append(request) }
            return WebReply(
                headers: [("Content-Type", "text/plain"), ("X-Twice", "one")], body: Array("answer".utf8),
                whenOver: { self.over.withLock { $0 += 1 } })
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LocalHTTPTests {
    private let asked = Asked()

    private func url(_ server: WebServer, _ rest: String) -> String { "http://127.0.0.1:\(server.port)\(rest)" }

    @Test func requestArrivesDecoded() throws {
        let server = try asked.server()
        let reply = try HTTPProbe.send(
            "GET", url(server, "/a%20b/c?x=1&where%5Bid%5D=7%2B&x=2&empty="), headers: [("X-Some-Thing", "here")])
        #expect(reply.status == 200)
        #expect(reply.text == "answer")
        #expect(reply.headers["x-twice"] == "one")
        let request = try #require(asked.first)
        #expect(request.method == "GET")
        #expect(request.path == "/a b/c")
        #expect(request.segments == ["a b", "c"])
        #expect(request.query.map(\.name) == ["x", "where[id]", "x", "empty"])
        #expect(request.query.map(\.value) == ["1", "7+", "2", ""])
        #expect(request.parameter("x") == "1")
        #expect(request.header("x-SOME-thing") == "here")
        #expect(request.header("x-none") == nil)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"]) func methodsComeWithTheirBodies(method: String) throws {
        let server = try asked.server()
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let reply = try HTTPProbe.send(method, url(server, "/"), body: body)
        #expect(reply.status == 200)
        let request = try #require(asked.first)
        #expect(request.method == method)
        #expect(request.body == body)
    }

    @Test func chunkedBodyIsPutTogether() throws {
        let server = try asked.server()
        let head = "POST / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        let reply = try HTTPProbe.exchange(port: server.port, bytes: Array((head + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").utf8))
        #expect(reply.status == 200)
        #expect(asked.first?.body == Array("abcde".utf8))
    }

    @Test func headAnswersWithoutBody() throws {
        let server = try asked.server()
        let reply = try HTTPProbe.send("HEAD", url(server, "/"))
        #expect(reply.status == 200)
        #expect(reply.headers["content-length"] == "6")
        #expect(reply.body.isEmpty)
        #expect(asked.first?.method == "HEAD")
    }

    @Test func announcedBodyOverTheLimitIsRefused() throws {
        let server = try asked.server(limits: WebLimits(body: 1000))
        #expect(try HTTPProbe.send("POST", url(server, "/"), body: [UInt8](repeating: 1, count: 1000)).status == 200)
        #expect(try HTTPProbe.send("POST", url(server, "/"), body: [UInt8](repeating: 1, count: 1001)).status == 413)
        #expect(asked.count == 1)
    }

    @Test func unannouncedBodyOverTheLimitIsRefused() throws {
        let server = try asked.server(limits: WebLimits(body: 10))
        let head = "POST / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        let reply = try HTTPProbe.exchange(port: server.port, bytes: Array((head + "b\r\nhello world\r\n0\r\n\r\n").utf8))
        #expect(reply.status == 413)
        #expect(asked.count == 0)
    }

    @Test func hostsOfOtherNamesAreRefused() throws {
        let server = try asked.server()
        #expect(try HTTPProbe.send("GET", url(server, "/"), headers: [("Host", "evil.example:80")]).status == 403)
        #expect(try HTTPProbe.send("GET", url(server, "/"), headers: [("Host", "localhost:\(server.port)")]).status == 200)
    }

    @Test func pathsThatClimbAreRefused() throws {
        let server = try asked.server()
        #expect(try HTTPProbe.send("GET", url(server, "/a/%2e%2e/b")).status == 400)
        #expect(try HTTPProbe.send("GET", url(server, "/a/..b/c")).status == 200)
    }

    @Test func tooLongAHeadIsRefused() throws {
        let server = try asked.server(limits: WebLimits(connectionMemory: 4096))
        let reply = try HTTPProbe.send("GET", url(server, "/"), headers: [("X-Long", String(repeating: "x", count: 8000))])
        #expect((400..<500).contains(reply.status))
        #expect(asked.count == 0)
    }

    @Test func stopEndsOpenConnectionsAndMayBeCalledTwice() throws {
        let server = try asked.server()
        let idle = try HTTPProbe.connect(port: server.port)
        let half = try HTTPProbe.connect(port: server.port)
        defer {
            close(idle)
            close(half)
        }
        let text = "POST / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nContent-Length: 100\r\n\r\nhalf"
        #expect(send(half, text, text.utf8.count, 0) == text.utf8.count)
        #expect(try HTTPProbe.send("GET", url(server, "/")).status == 200)
        server.stop()
        server.stop()
        var byte: UInt8 = 0
        #expect(recv(idle, &byte, 1, 0) <= 0)
        #expect(recv(half, &byte, 1, 0) <= 0)
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.send("GET", url(server, "/")) }
        // Stopping waits for the server's thread, so everything that had begun has ended.
        #expect(asked.over.withLock { $0 } == 1)
        #expect(asked.count == 1)
    }

    @Test func portThatIsTakenIsAnError() throws {
        let server = try asked.server()
        #expect(throws: Trouble.self) { _ = try WebServer(port: server.port) { _ in WebReply() } }
    }

    @Test func listensOnLoopbackOnly() throws {
        let server = try asked.server()
        // The kernel's table shows local addresses as hexadecimal words of the machine's byte order.
        let port = String(server.port, radix: 16, uppercase: true)
        let entry = ":" + String(repeating: "0", count: 4 - port.count) + port
        let table = try Descriptor.open("/proc/self/net/tcp", O_RDONLY).readAll(limit: 16 << 20)
        let listening = String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count > 3 && $0[1].hasSuffix(entry) && $0[3] == "0A" }
        #expect(listening.map { String($0[1]) } == ["0100007F" + entry])
    }
}
