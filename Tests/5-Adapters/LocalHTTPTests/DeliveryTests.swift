import Glibc
import LocalHTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeliveryTests {
    private let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    private func server(_ delivery: Delivery) throws -> WebServer {
        let body = body
        return try WebServer { request in
            request.path == "/plain" ? WebReply(body: [7]) : WebReply(body: body, delivery: delivery)
        }
    }

    /// Everything that the server sends until it closes the connection, split into head and body.
    private func sent(by server: WebServer) throws -> (head: String, body: [UInt8]) {
        let connection = try HTTPProbe.connect(port: server.port)
        defer { close(connection) }
        let text = "GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\n\r\n"
        #expect(send(connection, text, text.utf8.count, 0) == text.utf8.count)
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            all += buffer[..<count]
        }
        let end = try #require(all.firstRange(of: Array("\r\n\r\n".utf8)))
        return (String(decoding: all[..<end.lowerBound], as: UTF8.self), Array(all[end.upperBound...]))
    }

    @Test func tricklingBodyArrivesWhole() throws {
        let server = try server(.trickle(bytes: 100, every: .milliseconds(2)))
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").body == body)
        server.stop()
    }

    @Test func othersAreAnsweredWhileABodyTrickles() throws {
        let server = try server(.trickle(bytes: 1, every: .seconds(600)))
        let slow = try HTTPProbe.connect(port: server.port)
        defer { close(slow) }
        let text = "GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n"
        #expect(send(slow, text, text.utf8.count, 0) == text.utf8.count)
        var byte: UInt8 = 0
        #expect(recv(slow, &byte, 1, 0) == 1)
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/plain").body == [7])
        server.stop()
    }

    @Test func brokenOffBodyIsShorterThanAnnounced() throws {
        let server = try server(.brokenOff(after: 300))
        let (head, sent) = try sent(by: server)
        #expect(head.contains("Content-Length: 1000"))
        #expect(sent == Array(body.prefix(300)))
    }

    @Test func announcedLengthMayBeMoreThanComes() throws {
        let server = try server(.announced(length: 1200))
        let (head, sent) = try sent(by: server)
        #expect(head.contains("Content-Length: 1200"))
        #expect(sent == body)
    }

    @Test func announcedLengthMayBeLessThanThereIs() throws {
        let server = try server(.announced(length: 700))
        let (head, sent) = try sent(by: server)
        #expect(head.contains("Content-Length: 700"))
        #expect(sent == Array(body.prefix(700)))
    }

    @Test func silentRequestIsNotAnsweredAndEndsWithTheServer() throws {
        let server = try server(.never)
        let connection = try HTTPProbe.connect(port: server.port)
        defer { close(connection) }
        let text = "GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n"
        #expect(send(connection, text, text.utf8.count, 0) == text.utf8.count)
        var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 100) == 0)
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/plain").body == [7])
        server.stop()
        var byte: UInt8 = 0
        #expect(recv(connection, &byte, 1, 0) <= 0)
    }
}
