import Glibc
import HTTPClient
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct CancellationTests {
    @LoopActor private func makeTransport(perHost: Int = 6) -> CurlTransport {
        var limits = CurlLimits()
        limits.transfersPerHost = perHost
        // Stalled transfers must end here only by cancellation, however slow the machine is.
        limits.slowestBytesPerSecond = 0
        return CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true, limits: limits)
    }

    @LoopActor private func kind(_ task: Task<HTTPResponse, any Error>) async -> HTTPFailure.Kind? {
        await #expect(throws: HTTPFailure.self) { try await task.value }?.kind
    }

    @Test @LoopActor func cancelBeforeTheStartSendsNothing() async {
        let server = RawServer { _ in [.reply()] }
        let transport = makeTransport()
        defer { transport.close() }
        let task = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/"))) }
        task.cancel()
        #expect(await kind(task) == .cancelled)
        #expect(server.accepted == 0)
    }

    @Test @LoopActor func cancelEndsARunningTransfer() async throws {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), .waitForClose] }
        let transport = makeTransport()
        defer { transport.close() }
        let started = Signal()
        let task = spawnThrowing {
            try await transport.send(HTTPRequest(.get, server.url("/"))) { _ in
                started.fire()
                return true
            }
        }
        await started.wait()
        task.cancel()
        #expect(await kind(task) == .cancelled)
    }

    @Test @LoopActor func cancelOfAWaitingTransferLeavesTheOthers() async throws {
        let server = RawServer { request in
            request.path == "/slow"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), .waitForClose] : [.reply("200 OK", request.path)]
        }
        let transport = makeTransport(perHost: 1)
        defer { transport.close() }
        let started = Signal()
        let slow = spawnThrowing {
            try await transport.send(HTTPRequest(.get, server.url("/slow"))) { _ in
                started.fire()
                return true
            }
        }
        await started.wait()
        let waiting = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/waiting"))) }
        let last = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/last"))) }
        waiting.cancel()
        #expect(await kind(waiting) == .cancelled)
        slow.cancel()
        #expect(await kind(slow) == .cancelled)
        #expect(try await last.value.body == Array("/last".utf8))
        #expect(server.requests.map(\.path) == ["/slow", "/last"])
    }

    @Test @LoopActor func cancelAfterTheEndChangesNothing() async throws {
        let server = RawServer { _ in [.reply("200 OK", "x")] }
        let transport = makeTransport()
        defer { transport.close() }
        let task = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/"))) }
        #expect(try await task.value.status == 200)
        task.cancel()
        #expect(try await transport.send(HTTPRequest(.get, server.url("/"))).status == 200)
    }

    @Test @LoopActor func closeFailsWhatRunsAndWhatComesAfter() async {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .waitForClose] }
        let transport = makeTransport(perHost: 1)
        let started = Signal()
        let running = spawnThrowing {
            try await transport.send(HTTPRequest(.get, server.url("/"))) { _ in
                started.fire()
                return true
            }
        }
        let waiting = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/"))) }
        await started.wait()
        transport.close()
        #expect(await kind(running) == .cancelled)
        #expect(await kind(waiting) == .cancelled)
        let late = spawnThrowing { try await transport.send(HTTPRequest(.get, server.url("/"))) }
        #expect(await kind(late) == .cancelled)
    }

    @Test @LoopActor func closeFromASinkIsSafe() async {
        let server = RawServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .waitForClose] }
        let transport = makeTransport()
        let task = spawnThrowing {
            try await transport.send(HTTPRequest(.get, server.url("/"))) { _ in
                transport.close()
                return true
            }
        }
        #expect(await kind(task) == .cancelled)
    }

    @Test @LoopActor func aTransportThatIsDroppedClosesItsConnections() async throws {
        let server = RawServer { _ in [.reply("200 OK", "x")] }
        var transport: CurlTransport? = makeTransport()
        weak let watched = transport
        _ = try await transport?.send(HTTPRequest(.get, server.url("/")))
        #expect(watched != nil)
        transport = nil
        #expect(watched == nil)
    }
}

/// An event that happens once and can be awaited.
@LoopActor
final class Signal {
    private var hasFired = false
    private var waiter: CheckedContinuation<Void, Never>?

    func fire() {
        hasFired = true
        waiter?.resume()
        waiter = nil
    }

    func wait() async {
        if hasFired { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
