import Glibc
import LocalHTTP
import Synchronization
import TestSupport
import Testing

/// Keeps requests until a test answers them.
private final class Holder: Sendable {
    private let responders = Mutex<[Responder]>([])
    let asked = Flag()
    let gone = Flag()

    func server() throws -> WebServer {
        try WebServer { request in
            guard request.path == "/later" else { return .text("now") }
            return .later { responder in
                responder.onGone { self.gone.raise() }
                self.responders.withLock { $0.append(responder) }
                self.asked.raise()
            }
        }
    }

    func take() -> Responder? { responders.withLock { $0.popLast() } }
}

@Suite(.timeLimit(.minutes(5)))
struct LaterTests {
    private let holder = Holder()

    @Test func answerMayComeLaterWhileOthersAreServed() throws {
        let server = try holder.server()
        let client = try RawClient(server)
        client.ask("/later", server)
        #expect(holder.asked.wait())
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").text == "now")
        let responder = try #require(holder.take())
        responder.answer(.text("at last"))
        responder.answer(.text("again"))
        #expect(client.answer()?.body == "at last")
        // The connection can still be used.
        client.ask("/", server)
        #expect(client.answer()?.body == "now")
        #expect(holder.gone.count == 0)
    }

    @Test func answerMayComeAtOnce() throws {
        let server = try WebServer { _ in .later { $0.answer(.text("at once")) } }
        let client = try RawClient(server)
        for _ in 0..<50 {
            client.ask("/", server)
            #expect(client.answer()?.body == "at once")
        }
    }

    @Test func headOfALaterAnswerHasNoBody() throws {
        let server = try WebServer { _ in .later { $0.answer(.text("body")) } }
        let reply = try HTTPProbe.send("HEAD", "http://127.0.0.1:\(server.port)/")
        #expect(reply.headers["content-length"] == "4")
        #expect(reply.body.isEmpty)
    }

    @Test func responderThatIsDroppedAnswers503() throws {
        let server = try WebServer { _ in .later { _ in } }
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").status == 503)
    }

    /// A program that was stopped finds the requests of clients that gave up meanwhile, and must not carry them out.
    @Test func whatAClientGaveUpIsNotBegun() throws {
        let (isBusy, isFree) = (Flag(), Flag())
        let server = try WebServer { [holder] request in
            guard request.path == "/later" else {
                isBusy.raise()
                _ = isFree.wait()
                return .text("now")
            }
            return .later { _ in holder.asked.raise() }
        }
        let first = try RawClient(server)
        first.ask("/busy", server)
        #expect(isBusy.wait())
        let other = try RawClient(server)
        other.ask("/later", server)
        other.close()
        isFree.raise()
        #expect(first.answer()?.body == "now")
        isFree.raise()
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").text == "now")
        #expect(holder.asked.count == 0)
        // A client that waits is answered as ever.
        let waiting = try RawClient(server)
        waiting.ask("/later", server)
        #expect(holder.asked.wait())
    }

    @Test func clientThatGoesAwayIsNoticed() throws {
        let server = try holder.server()
        let client = try RawClient(server)
        client.ask("/later", server)
        #expect(holder.asked.wait())
        client.close()
        #expect(holder.gone.wait())
        // The client has gone: a handler that is set now is called immediately, and an answer does no harm.
        let responder = try #require(holder.take())
        let over = Flag()
        responder.onGone { over.raise() }
        #expect(over.count == 1)
        var reply = WebReply.text("too late")
        reply.whenOver = { over.raise() }
        responder.answer(reply)
        #expect(over.wait() && over.wait())
        #expect(try HTTPProbe.send("GET", "http://127.0.0.1:\(server.port)/").text == "now")
        #expect(holder.gone.count == 1)
    }

    @Test func serverStopsWithRequestsThatWait() throws {
        let server = try holder.server()
        let clients = try (0..<20).map { _ in try RawClient(server) }
        for client in clients {
            client.ask("/later", server)
            #expect(holder.asked.wait())
        }
        server.stop()
        #expect(holder.gone.count == 20)
        #expect(clients.allSatisfy { $0.isCut })
        holder.take()?.answer(.text("nobody is there"))
    }

    /// Many threads answer while clients come and go: no client may get another's answer.
    @Test func answersFindTheirRequests() throws {
        let server = try WebServer { request in
            let text = request.path
            return .later { responder in
                let owned = Unmanaged.passRetained(Waiting(responder, text))
                var thread = pthread_t()
                pthread_create(
                    &thread, nil,
                    { context in
                        Unmanaged<Waiting>.fromOpaque(context!).takeRetainedValue().answer()
                        return nil
                    }, owned.toOpaque())
                pthread_detach(thread)
            }
        }
        for round in 0..<20 {
            let clients = try (0..<10).map { _ in try RawClient(server) }
            for (number, client) in clients.enumerated() { client.ask("/\(round)/\(number)", server) }
            for (number, client) in clients.enumerated() {
                // Every third client leaves before its answer.
                if number % 3 == 2 { client.close() } else { #expect(client.answer()?.body == "/\(round)/\(number)") }
            }
        }
        server.stop()
    }

    private final class Waiting: Sendable {
        private let responder: Responder
        private let text: String

        init(_ responder: Responder, _ text: String) {
            self.responder = responder
            self.text = text
        }

        func answer() { responder.answer(.text(text)) }
    }
}
