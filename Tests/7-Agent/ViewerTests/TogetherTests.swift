import Glibc
import LocalHTTP
import Model
import Platform
import TestSupport
import Testing
import Viewer

/// Turning together, as browsers and other agents speak of it to the viewer.
@Suite(.onLoop)
struct TogetherTests {
    private static func word() throws -> TogetherWord {
        let key = SigningKey.random()
        let leader = try #require(Together.Leader(window: "w1", device: key.verifier.name, name: "Anna"))
        let state = try #require(Together(claimedBy: leader, after: nil))
        return try #require(TogetherWord(state, team: "t", signedBy: key))
    }

    @LoopActor @Test func aBrowserAsksAndIsNamed() async throws {
        let scene = try Scene()
        #expect(try await scene.post("/api/together", #"{"act":"claim","window":"w1","epoch":4}"#).status == 200)
        #expect(scene.source.wishes.map(\.wish) == [Together.Wish(.claim, window: "w1", epoch: 4)])
        for wrong in [
            "{}", "[]", #"{"act":"rule","window":"w1"}"#, #"{"act":"tell","window":"w1","place":{"chart":"a","hash":"0","page":0}}"#,
        ] {
            #expect(try await scene.post("/api/together", wrong).status == 400, "\(wrong)")
        }
        #expect(scene.source.wishes.count == 1)
    }

    @LoopActor @Test func whoComesLateIsSentTheWholeState() async throws {
        let scene = try Scene()
        let state = try Self.word().state
        scene.source.together = .together(state, silence: .milliseconds(1500))
        let socket = Descriptor(owning: try HTTPProbe.connect(port: scene.port))
        let request = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(scene.port)\r\nCookie: \(try Scene.cookie(of: scene.viewer))\r\n\r\n"
        try Array(request.utf8).withUnsafeBytes { _ = try socket.write($0) }
        let number = socket.number
        let text = await SideThread().run { () -> String in
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while recv(number, &byte, 1, 0) == 1 {
                bytes.append(byte)
                if bytes.suffix(6).elementsEqual(":1500}".utf8) { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(
            text.contains("event: together\ndata: {\"state\":{\"epoch\":1,\"version\":1,\"led\":true,\"leader\":\"Anna\",\"window\":\"w1\"")
        )
    }

    @LoopActor @Test func otherAgentsAreBelievedBySignatureAloneAndSentWhatCounts() async throws {
        let scene = try Scene()
        let word = try Self.word()
        func send(_ bytes: [UInt8], _ method: String = "POST") async throws -> HTTPProbe.Reply {
            try await Scene.send(method, scene.origin + "/api/band", headers: [("Content-Type", "application/json")], body: bytes)
        }
        #expect(try await send(word.bytes).status == 200)
        #expect(scene.source.received == word)
        var forged = word.bytes
        forged[20] ^= 1
        #expect(try await send(forged).status == 400)
        #expect(try await send([], "GET").status == 405)
        #expect(try await send([UInt8](repeating: 0x20, count: 100_000)).status == 400)
        let better = try Self.word()
        scene.source.better = better
        let reply = try await send(word.bytes)
        #expect(reply.status == 409 && TogetherWord(reading: Array(reply.body)) == better)
    }
}
