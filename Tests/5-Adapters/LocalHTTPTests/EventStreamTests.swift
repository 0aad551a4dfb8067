import Glibc
import LocalHTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventStreamTests {
    private let stream = EventStream(limit: 100_000)
    private let closed = Flag()

    private func server(limits: WebLimits = WebLimits()) throws -> WebServer {
        stream.onClose { [closed] in closed.raise() }
        return try WebServer(limits: limits) { [stream] request in
            switch request.path {
            case "/events": .events(stream)
            case "/more": .events(EventStream())
            default: .text("now")
            }
        }
    }

    @Test func eventsArriveAsTheyAreSent() throws {
        let server = try server()
        stream.send(Array("data: early\n\n".utf8))
        let client = try RawClient(server)
        client.ask("/events", server)
        #expect(client.read(until: "\r\n\r\n").contains("Content-Type: text/event-stream"))
        #expect(client.read(until: "\n\n").hasSuffix("data: early\n\n"))
        for number in 0..<100 {
            #expect(stream.send(Array("data: \(number)\n\n".utf8)))
            #expect(client.read(until: "\n\n").hasSuffix("data: \(number)\n\n"))
        }
        #expect(closed.count == 0)
        stream.close()
        #expect(client.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        #expect(closed.wait())
        #expect(!stream.send([1]))
        // The connection can still be used.
        client.ask("/", server)
        #expect(client.answer()?.body == "now")
    }

    @Test func clientThatGoesAwayIsNoticedWithoutAnythingToSend() throws {
        let server = try server()
        let client = try RawClient(server)
        client.ask("/events", server)
        _ = client.read(until: "\r\n\r\n")
        client.close()
        #expect(closed.wait())
        #expect(!stream.send([1]))
    }

    @Test func whoDoesNotReadIsCut() throws {
        let server = try server()
        let client = try RawClient(server)
        client.ask("/events", server)
        _ = client.read(until: "\r\n\r\n")
        // The system's buffers take some of the pieces; when they are full, sending fails.
        let piece = [UInt8](repeating: 0x61, count: 50_000)
        var sent = 0
        while stream.send(piece), sent < 10_000 { sent += 1 }
        #expect(sent < 10_000)
        #expect(closed.wait())
        #expect(client.isCut)
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").text == "now")
    }

    @Test func streamsHaveACeiling() throws {
        let server = try server(limits: WebLimits(eventStreams: 3))
        let clients = try (0..<3).map { _ in try RawClient(server) }
        for client in clients {
            client.ask("/more", server)
            #expect(client.read(until: "\r\n\r\n").contains(" 200 "))
        }
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/events").status == 503)
        #expect(closed.count == 1)
        clients[1].close()
        // A new stream is possible as soon as the server has detected the end of an earlier one.
        var status = 503
        while status == 503 {
            let client = try RawClient(server)
            client.ask("/more", server)
            if client.read(until: "\r\n\r\n").contains(" 200 ") { status = 200 }
        }
        #expect(status == 200)
    }

    @Test func headOfAStreamEndsAtOnce() throws {
        let server = try server()
        let reply = try HTTPProbe.send("HEAD", "http://127.0.0.1:\(server.port)/events")
        #expect(reply.headers["content-type"] == "text/event-stream")
        #expect(closed.wait())
    }

    @Test func serverStopsWithOpenStreams() throws {
        let server = try server()
        let quiet = try RawClient(server)
        quiet.ask("/events", server)
        _ = quiet.read(until: "\r\n\r\n")
        let other = try RawClient(server)
        other.ask("/more", server)
        _ = other.read(until: "\r\n\r\n")
        server.stop()
        #expect(closed.count == 1)
        #expect(quiet.isCut && other.isCut)
        #expect(!stream.send([1]))
    }
}
