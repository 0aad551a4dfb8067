import Readiness
import Glibc
import Model
import Platform
import TestSupport
import Testing
import Viewer

/// Events that are sent to open pages without a request.
@Suite(.onLoop)
struct EventTests {
    /// A page's stream of events.
    private final class Listener: Sendable {
        private let socket: Int32

        init(port: UInt16, cookie: String) throws {
            socket = try HTTPProbe.connect(port: port)
            let text = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
            send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }

        deinit {
            close(socket)
        }

        /// Reads until the bytes end with `end`; returns an empty text if the stream ended before.
        func read(until end: String) async -> String {
            await SideThread().run { [socket] in
                var all: [UInt8] = []
                var byte: UInt8 = 0
                while !all.suffix(end.utf8.count).elementsEqual(end.utf8) {
                    guard recv(socket, &byte, 1, 0) == 1 else { return "" }
                    all.append(byte)
                }
                return String(decoding: all, as: UTF8.self)
            }
        }

        /// The text of an event, once it has arrived.
        func event() async -> String {
            let text = await read(until: "\n\n")
            return text.split(separator: "\r\n").last.map(String.init) ?? ""
        }
    }

    /// A browser that opens too many streams loses its oldest stream. That stream's page must not reconnect at once, or it would end the
    /// next stream.
    @LoopActor @Test func oneBrowserHasAFewStreamsAndOthersHaveTheirs() async throws {
        let scene = try Scene()
        let other = try Listener(port: scene.port, cookie: try Scene.cookie(of: scene.viewer))
        let cookie = try Scene.cookie(of: scene.viewer)
        var listeners: [Listener] = []
        for _ in 0..<40 {
            let listener = try Listener(port: scene.port, cookie: cookie)
            #expect(await listener.read(until: "\r\n\r\n").contains(" 200 "))
            #expect(await listener.event() == "retry: 500\n\n")
            listeners.append(listener)
        }
        #expect(await listeners[0].event() == "retry: 15000\n\n")
        #expect(await listeners[0].read(until: "never") == "")
        _ = await other.read(until: "\r\n\r\n")
        #expect(await other.event() == "retry: 500\n\n")
        scene.source.publish(.plans)
        for listener in listeners.suffix(4) + [other] { #expect(await listener.read(until: "event: plans\n") != "") }
    }

    @LoopActor @Test func newsReachEveryPageInOrder() async throws {
        let scene = try Scene()
        let cookie = try Scene.cookie(of: scene.viewer)
        let listeners = try (0..<3).map { _ in try Listener(port: scene.port, cookie: cookie) }
        for listener in listeners {
            let head = await listener.read(until: "\r\n\r\n")
            #expect(head.contains("Content-Type: text/event-stream") && head.contains("Cache-Control: no-store"))
            #expect(head.contains("X-Content-Type-Options: nosniff"))
            #expect(await listener.event() == "retry: 500\n\n")
        }
        var page = FakeSource.outlook().pages[0]
        page.annotated = ChartOutlook.Image(name: FakeSource.name(0, .annotated), width: 20, height: 30, isHere: true)
        scene.source.publish(.page(chart: AttachmentID("a\n1"), page))
        for listener in listeners {
            #expect(
                await listener.event() == """
                    event: page
                    data: {"chart":"a\\n1","page":0,"annotated":{"src":"/pages/\(page.annotated.name)","width":20,"height":30,"here":true,"ink":null,"marks":null,"older":null},"marked":true}


                    """)
        }
        scene.source.publish(.chart(AttachmentID("a1"), set: "s"))
        scene.source.publish(.plans)
        scene.source.publish(
            .status(
                ViewerStatus(
                    offlineSince: Timestamp("2026-11-21T09:00:00Z"),
                    failingPolls: FailingPolls(
                        since: Timestamp("2026-11-21T09:00:00Z")!, reason: "service: down. It; is", brief: "service: down"), isPaused: true)
            ))
        for listener in listeners {
            #expect(await listener.read(until: "\"set\":\"s\"}\n\n").hasSuffix("event: chart\ndata: {\"chart\":\"a1\",\"set\":\"s\"}\n\n"))
            #expect(await listener.read(until: "{}\n\n").hasSuffix("event: plans\ndata: {}\n\n"))
            let status =
                "event: status\ndata: {\"lastPoll\":null,\"offlineSince\":\"2026-11-21T09:00:00Z\",\"failingPolls\":{\"since\":\"2026-11-21T09:00:00Z\",\"message\":\"service: down\"},\"paused\":true,\"ownSets\":false}\n\n"
            #expect(await listener.read(until: "false}\n\n").hasSuffix(status))
        }
    }

    @LoopActor @Test func sourceKnowsWhetherAnybodyLooks() async throws {
        let scene = try Scene()
        #expect(!scene.source.isLookedAt && scene.source.hasNewsHandler)
        let cookie = try Scene.cookie(of: scene.viewer)
        var first: Listener? = try Listener(port: scene.port, cookie: cookie)
        _ = await first?.event()
        let second = try Listener(port: scene.port, cookie: cookie)
        _ = await second.event()
        #expect(scene.source.isLookedAt)
        first = nil
        scene.source.publish(.plans)
        #expect(await second.read(until: "{}\n\n").contains("plans"))
        #expect(scene.source.isLookedAt)
        scene.viewer.stop()
        #expect(!scene.source.hasNewsHandler)
        #expect(await second.read(until: "never") == "")
        try await waitUntil { !scene.source.isLookedAt }
    }

    @LoopActor @Test func pageThatGoesIsNoticedThoughNothingIsSent() async throws {
        let scene = try Scene()
        var listener: Listener? = try Listener(port: scene.port, cookie: try Scene.cookie(of: scene.viewer))
        _ = await listener?.read(until: "\r\n\r\n")
        try await waitUntil { scene.source.isLookedAt }
        listener = nil
        try await waitUntil { !scene.source.isLookedAt }
    }
}
