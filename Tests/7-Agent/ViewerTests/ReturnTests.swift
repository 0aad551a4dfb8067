import Foundation
import Glibc
import LocalHTTP
import Model
import Platform
import TestSupport
import Testing

@testable import Viewer

/// How an open page returns to an agent that was restarted.
@Suite(.onLoop)
struct ReturnTests {
    private let folder = TemporaryFolder()

    @LoopActor private func viewer(_ port: UInt16 = 0) throws -> Viewer {
        let viewer = Viewer(
            settings: ViewerSettings(port: port, nameFolder: nil, keyFolder: folder.path), clock: SimulatedClock(), log: .silent)
        try viewer.start()
        viewer.show(FakeSource(), images: FakeImages())
        return viewer
    }

    private func code(_ message: String, key: String) -> String {
        let key = Array(key.utf8)
        let inner = SHA256.digest(of: key.map { $0 ^ 0x36 } + Array(message.utf8))
        return SHA256.digest(of: key.map { $0 ^ 0x5C } + inner.bytes).hex
    }

    /// A browser that was let in, with the values in its page.
    private struct Page {
        var cookie: String
        var pass: String
    }

    private func page(_ viewer: Viewer) async throws -> Page {
        let cookie = try await Scene.cookie(of: viewer)
        let port = await viewer.port ?? 0
        let text = try await Scene.send("GET", "http://127.0.0.1:\(port)/", headers: [("Cookie", cookie)]).text
        let place = try #require(text.firstRange(of: "name=\"woodshed-pass\" content=\""))
        return Page(cookie: cookie, pass: String(text[place.upperBound...].prefix { $0 != "\"" }))
    }

    private func question(_ port: UInt16, _ cookie: String) async throws -> String? {
        let reply = try await Scene.send("GET", "http://127.0.0.1:\(port)/api/return", headers: [("Cookie", cookie)])
        guard reply.status == 200 else { return nil }
        return try JSONDecoder().decode([String: String].self, from: Data(reply.body))["question"]
    }

    private func answer(
        _ port: UInt16, _ cookie: String, _ question: String, _ answer: String, origin: String? = nil
    ) async throws -> HTTPProbe.Reply {
        let root = "http://127.0.0.1:\(port)"
        return try await Scene.send(
            "POST", root + "/api/return",
            headers: [("Cookie", cookie), ("Origin", origin ?? root), ("Content-Type", "application/json")],
            body: Array(#"{"question":"\#(question)","answer":"\#(answer)"}"#.utf8))
    }

    private func isLetIn(_ port: UInt16, _ cookie: String) async throws -> Bool {
        try await Scene.send("GET", "http://127.0.0.1:\(port)/api/state", headers: [("Cookie", cookie)]).status == 200
    }

    @LoopActor @Test func itProvesThatItWasLetInAndGetsANewCookie() async throws {
        let former = try viewer()
        let port = try #require(former.port)
        let page = try await page(former)
        #expect(page.pass.count == 64)
        former.stop()
        let next = try viewer(port)
        defer { next.stop() }
        #expect(try await !isLetIn(port, page.cookie))
        let question = try #require(try await question(port, page.cookie))
        let right = code("\(question) \(port)", key: page.pass)
        let reply = try await answer(port, page.cookie, question, right)
        #expect(reply.status == 200)
        let fresh = String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })
        #expect(try await isLetIn(port, fresh))
        // A program that has caught the old cookie can do nothing with it, and no answer is good twice.
        #expect(try await !isLetIn(port, page.cookie))
        #expect(try await answer(port, page.cookie, question, right).status == 403)
    }

    @LoopActor @Test func nobodyElseDoes() async throws {
        let former = try viewer()
        let port = try #require(former.port)
        let page = try await page(former)
        former.stop()
        let next = try viewer(port)
        defer { next.stop() }
        #expect(try await question(port, "a=b") == nil)
        func tried(_ change: (inout (cookie: String, question: String, answer: String, origin: String?)) -> Void) async throws -> Int {
            let question = try #require(try await question(port, page.cookie))
            var attempt = (
                cookie: page.cookie, question: question, answer: code("\(question) \(port)", key: page.pass), origin: String?.none
            )
            change(&attempt)
            return try await answer(port, attempt.cookie, attempt.question, attempt.answer, origin: attempt.origin).status
        }
        #expect(try await tried { _ in } == 200)
        // Each of these is refused: a wrong answer, another cookie, an answer to a question that the viewer did not ask, an answer
        // for another port, and a request from another site.
        #expect(try await tried { $0.answer = String(repeating: "0", count: 64) } == 403)
        #expect(try await tried { $0.cookie = $0.cookie.prefix { $0 != "=" } + "=" + String(repeating: "1", count: 64) } == 403)
        #expect(
            try await tried {
                $0.question = "mine"; $0.answer = code("mine \(port)", key: page.pass)
            } == 403)
        #expect(try await tried { $0.answer = code("\($0.question) 1", key: page.pass) } == 403)
        #expect(try await tried { $0.origin = "http://evil.example" } == 403)
    }

    /// Others can read the network's traffic, so a page there gets nothing by which it could return to a later agent.
    @LoopActor @Test func aPageOnTheNetworkIsGivenNothingToComeBackWith() async throws {
        let (host, token) = ("127.0.0.2", "a-token-of-sixteen-letters")
        let network = ViewerSettings.Network(address: try #require(IPAddress(host)), names: [], token: Secret(token))
        let viewer = Viewer(
            settings: ViewerSettings(port: 0, nameFolder: nil, keyFolder: folder.path, network: network), clock: SimulatedClock(),
            log: .silent, isOwn: { $0 == .loopback })
        try viewer.start()
        viewer.show(FakeSource(), images: FakeImages())
        defer { viewer.stop() }
        #expect(try await page(viewer).pass.count == 64, "on this machine it is")
        let root = "http://\(host):\(try #require(viewer.port))"
        let reply = try await Scene.send("POST", root + "/", headers: [("Origin", root)], body: Array("token=\(token)".utf8))
        #expect(reply.status == 303)
        let headers = try Tablet(reply).headers
        let page = try await Scene.send("GET", root + "/", headers: headers)
        #expect(page.status == 200 && page.text.contains("name=\"woodshed-pass\" content=\"\""))
        #expect(try await Scene.send("GET", root + "/api/return", headers: headers).status == 403)
    }

    /// Another device on the network can send this machine's name in a request, but cannot send the request from this machine's address.
    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", true), ("LOCALHOST:8080", "::1", true), ("woodshed.localhost:80", "127.0.0.1", true),
            ("127.0.0.1:8080", "192.168.1.20", false), ("localhost", "2001:db8::1", false), ("laptop.lan:8080", "127.0.0.1", false),
            ("127.0.0.1:8080", nil, false),
        ])
    func thisMachineIsWhereTheBrowserIsAndWhatItCallsIt(host: String, peer: String?, isThis: Bool) {
        #expect(BrowserAccess.isOfThisMachine(host: host, peer: peer.flatMap { IPAddress($0) }) == isThis)
    }

    /// If others could have read the key, neither that key nor the new key lets a former page in.
    @LoopActor @Test func aKeyThatOthersCouldReadIsNone() async throws {
        let former = try viewer()
        let port = try #require(former.port)
        let page = try await page(former)
        former.stop()
        var status = stat()
        #expect(stat(folder.path("viewer-key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(folder.path("viewer-key"), 0o644)
        let next = try viewer(port)
        defer { next.stop() }
        let question = try #require(try await question(port, page.cookie))
        #expect(try await answer(port, page.cookie, question, code("\(question) \(port)", key: page.pass)).status == 403)
        #expect(stat(folder.path("viewer-key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
}
