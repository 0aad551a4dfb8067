import Glibc
import TestSupport
import Testing

@testable import LocalHTTP

@Suite(.timeLimit(.minutes(5)))
struct HostileClientTests {
    private func server(_ limits: WebLimits) throws -> WebServer {
        try WebServer(limits: limits) { request in .text(request.path) }
    }

    private func isServed(_ server: WebServer) throws -> Bool {
        try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/fine").text == "/fine"
    }

    /// Sends `text` again and again, with pauses of at most 5 ms, and returns whether the server closes the connection.
    private func isCutWhileTrickling(_ client: RawClient, _ text: String) -> Bool {
        for _ in 0..<10_000 {
            var waiting = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 5) != 0 { return client.isCut }
            if !client.send(text) { return true }
        }
        return false
    }

    @Test func headThatTricklesIsCut() throws {
        let server = try server(WebLimits(idle: .seconds(60), arrival: .milliseconds(300)))
        let client = try RawClient(server)
        client.send("GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nX: ")
        #expect(isCutWhileTrickling(client, "x"))
        #expect(try isServed(server))
    }

    @Test func bodyThatTricklesIsCut() throws {
        let server = try server(WebLimits(idle: .seconds(60), arrival: .milliseconds(300)))
        let client = try RawClient(server)
        client.send("POST / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nContent-Length: 100000\r\n\r\n")
        #expect(isCutWhileTrickling(client, "x"))
        #expect(try isServed(server))
    }

    /// The time limit starts anew with each request on a connection, and includes the first line.
    @Test func laterRequestThatTricklesIsCutToo() throws {
        let server = try server(WebLimits(idle: .seconds(1), arrival: .milliseconds(300)))
        let client = try RawClient(server)
        client.ask("/first", server)
        #expect(client.answer()?.body == "/first")
        #expect(isCutWhileTrickling(client, "G"))
    }

    @Test func connectionWithoutARequestIsCut() throws {
        let server = try server(WebLimits(idle: .seconds(60), arrival: .milliseconds(200)))
        #expect(try RawClient(server).isCut)
    }

    /// The limit is for the arrival of the request only: the handler may take longer to answer.
    @Test func requestThatHasArrivedHasTime() throws {
        let server = try WebServer(limits: WebLimits(arrival: .milliseconds(50))) { _ in
            WebReply(body: [1, 2, 3, 4], delivery: .trickle(bytes: 1, every: .milliseconds(60)))
        }
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").body == [1, 2, 3, 4])
    }

    @Test func thousandOpenConnectionsKeepNobodyOut() throws {
        let server = try server(WebLimits())
        let crowd = try (0..<1000).map { _ in try RawClient(server) }
        for client in crowd.prefix(500) { client.send("GET / HTTP/1.1\r\n") }
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(try isServed(server)) }
        // The server must not wait for the time limit of the crowd's connections.
        #expect(ContinuousClock.now - start < WebLimits().arrival)
        #expect(crowd[0].isCut)
        server.stop()
        #expect(crowd.allSatisfy { $0.isCut })
    }

    /// When there are too many connections, an idle client is cut off before a client that waits for an answer or has a stream.
    @Test func crowdDoesNotPushOutWhoIsServed() throws {
        let held = Flag()
        let stream = EventStream()
        let server = try WebServer(limits: WebLimits(connections: 8)) { request in
            switch request.path {
            case "/events": .events(stream)
            case "/later":
                .later { responder in
                    held.raise()
                    responder.onGone { held.raise() }
                    stream.onClose { responder.answer(.text("after the stream")) }
                }
            default: .text("now")
            }
        }
        let waiting = try RawClient(server)
        waiting.ask("/later", server)
        #expect(held.wait())
        let listening = try RawClient(server)
        listening.ask("/events", server)
        _ = listening.read(until: "\r\n\r\n")
        let crowd = try (0..<100).map { _ in try RawClient(server) }
        for client in crowd.prefix(90) { #expect(client.isCut) }
        stream.send(Array("data: 1\n\n".utf8))
        #expect(listening.read(until: "\n\n").hasSuffix("data: 1\n\n"))
        stream.close()
        #expect(waiting.answer()?.body == "after the stream")
        #expect(held.count == 1)
    }

    @Test(arguments: [
        "GET /a%00.png HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET /?a=%00 HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET a HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET /../a HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET /%2E%2e/a HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    ]) func requestsThatAreNotPlainAreRefused(text: String) throws {
        let server = try server(WebLimits())
        let client = try RawClient(server)
        client.send(text.replacing("HOST", with: "localhost:\(server.port)"))
        #expect(client.answer()?.head.hasPrefix("HTTP/1.1 400 ") == true)
        #expect(try isServed(server))
    }

    /// With two lengths, the rest could be read as another request, which a proxy in front has not seen.
    @Test func nothingIsReadBehindABodyOfTwoLengths() throws {
        let asked = Flag()
        let server = try WebServer { _ in
            asked.raise()
            return .text("yes")
        }
        let client = try RawClient(server)
        let next = "GET /hidden HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n"
        client.send(
            "POST / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nContent-Length: 0\r\nContent-Length: \(next.utf8.count)\r\n\r\n\(next)")
        #expect(client.isCut && asked.count == 0)
    }

    @Test func strangersAtOneAddressPushOutOnlyEachOther() throws {
        let server = try WebServer(limits: WebLimits(connections: 16, strangers: 4)) { request in
            var reply = WebReply.text(request.path)
            reply.isForGuest = request.path == "/guest"
            return reply
        }
        let guest = try RawClient(server)
        guest.ask("/guest", server)
        #expect(guest.answer()?.body == "/guest")
        let elsewhere = try RawClient(server, from: "127.0.0.2")
        let crowd = try (0..<40).map { _ in try RawClient(server) }
        for client in crowd.prefix(36) { #expect(client.isCut) }
        for client in [guest, elsewhere, crowd[36], crowd[39]] {
            client.ask("/still", server)
            #expect(client.answer()?.body == "/still")
        }
    }

    /// One person may own a whole network of addresses, so strangers whose IPv6 addresses have the same first 64 bits count together.
    @Test func strangersOfOneNetworkCountTogether() throws {
        let some = try #require(OpaquePointer(bitPattern: 1))
        func visitor(_ address: String) -> Visitor { Visitor(some, socket: -1, peer: IPAddress(address)) }
        let first = visitor("2001:db8:1:2::1")
        let known = visitor("2001:db8:1:2::2")
        known.isStranger = false
        let (alike, next, old) = (visitor("2001:db8:1:2:ffff::9"), visitor("2001:db8:1:3::1"), visitor("192.0.2.1"))
        let all = [first, known, alike, next, old, visitor("192.0.2.2"), visitor("")]
        func isCounted(_ visitor: Visitor, with other: Visitor) -> Bool { visitor.strangersAlike(among: all).contains { $0 === other } }
        #expect(isCounted(first, with: alike) && isCounted(first, with: first))
        #expect(!isCounted(first, with: known) && !isCounted(first, with: next) && !isCounted(first, with: old))
        #expect(old.strangersAlike(among: all).count == 1 && visitor("").strangersAlike(among: all).isEmpty)
    }

    @Test(arguments: [
        "localhost", "localhost:1", "127.0.0.1", "127.0.0.1.evil.example", "evil.example:PORT", "localhost:PORT.evil.example",
        "localhost:PORT@evil.example", "[::1]:PORT", "",
    ]) func onlyTheServersOwnNamesAreAnswered(host: String) throws {
        let server = try server(WebLimits())
        let host = host.replacing("PORT", with: "\(server.port)")
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/", headers: [("Host", host)]).status == 403)
        #expect(
            try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/", headers: [("Host", "LocalHost:\(server.port)")]).status == 200)
    }

    @Test func namesOfTheServerCanBeChosen() throws {
        let server = try WebServer(listening: .loopback(), hosts: ["stand.lan", "stage.lan:8080"]) { _ in .text("yes") }
        let url = "http://127.0.0.1:\(server.port)/"
        #expect(try HTTPProbe.send("GET", url, headers: [("Host", "stand.lan:\(server.port)")]).status == 200)
        #expect(try HTTPProbe.send("GET", url, headers: [("Host", "stage.lan:8080")]).status == 200)
        #expect(try HTTPProbe.send("GET", url, headers: [("Host", "stage.lan:\(server.port)")]).status == 403)
        #expect(try HTTPProbe.send("GET", url, headers: [("Host", "localhost:\(server.port)")]).status == 403)
    }

    /// Any answer to nonsense is acceptable, but the next request must be served.
    @Test func nonsenseHarmsNobody() throws {
        let server = try server(WebLimits(connectionMemory: 4096, body: 1000, arrival: .milliseconds(500)))
        var generator = SeededGenerator(seed: 4711)
        let words = [
            "GET", "POST", " ", "/", "HTTP/1.1", "\r\n", "\r\n\r\n", ":", "Host: localhost", "Content-Length: ", "5", "-1",
            "Transfer-Encoding: chunked\r\n", "999999999999999999999", "%", "\u{0}", "\u{7f}", "é", "?", "&", "=",
        ]
        for _ in 0..<300 {
            let client = try RawClient(server)
            client.send((0..<Int.random(in: 1..<30, using: &generator)).map { _ in words.randomElement(using: &generator)! }.joined())
        }
        #expect(try isServed(server))
        server.stop()
    }
}
