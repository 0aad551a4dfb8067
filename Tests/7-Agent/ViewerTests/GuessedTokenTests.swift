import LocalHTTP
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Viewer

/// Guesses at the token, and the browsers that they shut out.
@Suite(.onLoop)
struct GuessedTokenTests {
    @LoopActor @Test func manyWrongTriesEndTheTrying() async throws {
        let scene = try Scene.entrance()
        for _ in 0..<5 { #expect(try await scene.give("token=guess\r\n").status == 403) }
        for body in ["token=guess\r\n", Scene.right, Scene.right] {
            let reply = try await scene.give(body)
            #expect(reply.status == 429 && Scene.isForm(reply) && reply.text.contains("Wait a minute"))
        }
        // The device is also refused if it uses another name for this machine.
        let named = [("Host", "tablet-calls.lan:\(scene.port)"), ("Origin", "http://tablet-calls.lan:\(scene.port)")]
        #expect(try await scene.give(Scene.right, headers: named).status == 429)
        let local = try await Scene.send("POST", scene.origin + "/", headers: [("Origin", scene.origin)], body: Array(Scene.right.utf8))
        #expect(local.status == 303, "this machine's own browsers are another matter")
        // Browsers that signed in before stay signed in, and 'woodshed open' works.
        #expect(try await scene.get("/api/state").status == 200)
        #expect(try await Scene.send("GET", scene.viewer.invite() ?? "").status == 303)
        scene.clock.skip(.seconds(59))
        #expect(try await scene.give(Scene.right).status == 429)
        scene.clock.skip(.seconds(1))
        #expect(try await scene.give(Scene.right).status == 303)
    }

    @LoopActor @Test func wrongTriesOfOneDeviceShutOutNoOther() async throws {
        let scene = try Scene.entrance()
        for _ in 0..<8 { _ = try await scene.give("token=guess\r\n", from: "127.0.0.66") }
        #expect(try await scene.give(Scene.right, from: "127.0.0.66").status == 429)
        #expect(try await scene.give(Scene.right, from: "127.0.0.67").status == 303)
        // A device is shut out only by its own mistakes.
        for _ in 0..<4 { #expect(try await scene.give("token=typo\r\n", from: "127.0.0.68").status == 403) }
        #expect(try await scene.give(Scene.right, from: "127.0.0.68").status == 303)
    }

    /// In a home with IPv6, the addresses of all devices begin alike, so the tries of each whole address are counted separately.
    @LoopActor @Test func wrongTriesOfOneDeviceShutOutNoOtherOfItsHome() throws {
        let entrance = TokenEntrance(token: Secret(Scene.token), clock: SimulatedClock())
        func address(_ end: String) throws -> IPAddress { try #require(IPAddress("fe80::\(end)")) }
        for _ in 0..<8 { _ = entrance.judge(Array("token=guess".utf8), from: try address("66")) }
        #expect(entrance.judge(Array(Scene.right.utf8), from: try address("66")) == .exhausted)
        #expect(entrance.judge(Array(Scene.right.utf8), from: try address("67")) == .right(mayChange: true))
    }

    private final class LogLines: Sendable {
        private let kept = Mutex<[String]>([])
        var texts: [String] { kept.withLock { $0 } }
        var log: Log { Log { [self] _, text in kept.withLock { $0.append(text) } } }
    }

    /// Many strangers together cannot guess faster than a few, and no known browser has to wait because of the strangers' guesses.
    @LoopActor @Test func strangersShutOutNobodyWhoIsKnown() throws {
        let (folder, clock) = (TemporaryFolder(), SimulatedClock())
        let lines = LogLines()
        func entrance() -> TokenEntrance { TokenEntrance(token: Secret(Scene.token), folder: folder.path, clock: clock, log: lines.log) }
        func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
        let tablet = try address("192.168.1.20")
        #expect(entrance().judge(Array(Scene.right.utf8), from: tablet) == .right(mayChange: true))
        // The agent was restarted, and a stranger with any number of addresses tries first.
        let judge = entrance()
        for number in 1...20 { #expect(judge.judge(Array("token=guess".utf8), from: try address("fe80::\(number)")) == .wrong) }
        #expect(lines.texts.isEmpty)
        for number in 21...23 { #expect(judge.judge(Array(Scene.right.utf8), from: try address("fe80::\(number)")) == .exhausted) }
        #expect(judge.judge(Array(Scene.right.utf8), from: try address("192.168.1.21")) == .exhausted)
        #expect(lines.texts.count == 1 && lines.texts[0].contains("the last from fe80::21"), "\(lines.texts)")
        for known in [tablet, .loopback] {
            for _ in 0..<4 { #expect(judge.judge(Array("token=typo".utf8), from: known) == .wrong) }
            #expect(judge.judge(Array(Scene.right.utf8), from: known) == .right(mayChange: true))
        }
        // Mistakes of known browsers do not shut out others, either.
        clock.skip(.seconds(60))
        for _ in 0..<5 { #expect(judge.judge(Array("token=typo".utf8), from: tablet) == .wrong) }
        #expect(judge.judge(Array(Scene.right.utf8), from: tablet) == .exhausted)
        #expect(judge.judge(Array(Scene.right.utf8), from: try address("192.168.1.22")) == .right(mayChange: true))
        #expect(lines.texts.count == 2)
    }

    @LoopActor @Test func manyDevicesGuessNoFasterForBeingMany() async throws {
        let scene = try Scene.entrance()
        var judged = 0
        for device in 1...20 {
            for _ in 0..<5 where try await scene.give("token=guess\r\n", from: "127.0.1.\(device)").status == 403 { judged += 1 }
        }
        #expect(judged == 20)
        #expect(try await scene.give(Scene.right, from: "127.0.2.1").status == 429)
        scene.clock.skip(.seconds(60))
        #expect(try await scene.give(Scene.right, from: "127.0.2.1").status == 303)
    }
}
