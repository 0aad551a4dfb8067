import LocalHTTP
import Model
import Platform
import TestSupport
import Testing

@testable import Viewer

/// The addresses and names of the entrance for the network, and the pages that may use it.
@Suite(.onLoop)
struct EntranceAddressTests {
    /// If another site makes a visitor's browser send the form, the browser is not let in, and no try is used up.
    @LoopActor @Test func formOfAnotherPageIsRefused() async throws {
        let scene = try Scene.entrance()
        let foreign = [
            "", "null", "http://evil.example", "https://127.0.0.2:\(scene.port)", "http://127.0.0.2", "http://127.0.0.2:\(scene.port)/",
            scene.origin, "http://tablet-calls.lan:\(scene.port)", "http://127.0.0.2:\(scene.port).evil.example",
        ]
        for origin in foreign {
            for body in [Scene.right, "token=guess\r\n"] {
                let reply = try await scene.give(body, headers: [("Origin", origin)])
                #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !reply.text.contains("<"), "\(origin)")
            }
        }
        let twice = try await scene.give(Scene.right, headers: [("Origin", scene.url), ("origin", "http://evil.example")])
        #expect(twice.status == 403)
        #expect(try await scene.give(Scene.right).status == 303)
    }

    /// Another site may point one of its own names at this machine, so requests under other names are refused.
    @LoopActor
    @Test(arguments: [
        "evil.example", "evil.example:PORT", "127.0.0.2", "127.0.0.2:1", "127.0.0.1:PORT", "localhost:PORT", "0.0.0.0:PORT",
        "tablet-calls.lan",
        "x.tablet-calls.lan:PORT", "",
    ])
    func otherNamesAreNotAnswered(host: String) async throws {
        let scene = try Scene.entrance()
        let host = host.replacing("PORT", with: "\(scene.port)")
        for (method, body) in [("GET", ""), ("POST", Scene.right)] {
            let reply = try await Scene.send(
                method, scene.url + "/", headers: [("Host", host), ("Origin", "http://" + host)], body: Array(body.utf8))
            #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !reply.text.contains("name=\"token\""))
        }
        let named = [("Host", "Tablet-Calls.lan:\(scene.port)"), ("Origin", "http://tablet-calls.lan:\(scene.port)")]
        #expect(try await scene.give(Scene.right, headers: named).status == 303)
    }

    @LoopActor @Test func wildcardAnswersToNamesThatWereThoughtOfOnly() async throws {
        let scene = try Scene.entrance("0.0.0.0", names: ["tablet-calls.lan"])
        for (host, status) in [("127.0.0.2", 403), ("0.0.0.0", 403), ("evil.example", 403), ("tablet-calls.lan", 303), ("localhost", 303)] {
            let headers = [("Host", "\(host):\(scene.port)"), ("Origin", "http://\(host):\(scene.port)")]
            #expect(try await scene.give(Scene.right, headers: headers).status == status, "\(host)")
        }
    }

    @LoopActor @Test func viewerOfThisMachineIsAtNoOtherAddress() async throws {
        let scene = try Scene()
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.connect(to: Scene.elsewhere, port: scene.port) }
        // This viewer does not accept any token.
        let origin = scene.origin
        let reply = try await Scene.send("POST", origin + "/", headers: [("Origin", origin)], body: Array("token=\r\n".utf8))
        #expect(reply.status == 403 && !Scene.isForm(reply))
        #expect(!Scene.isForm(try await Scene.send("GET", origin + "/")))
    }

    /// A laptop that left its network still shows its own browsers their pages.
    @LoopActor @Test func addressThatIsNotThereIsNoReasonToShowNothing() async throws {
        let scene = try Scene.entrance("192.0.2.1")
        #expect(try await scene.get("/api/state").status == 200)
    }

    /// Listening on `::` keeps others off the port without a reservation.
    @LoopActor @Test func everyAddressOfBothVersionsNeedsNoReservation() async throws {
        let folder = TemporaryFolder()
        let address = try #require(IPAddress("::"))
        let network = ViewerSettings.Network(address: address, names: [Scene.elsewhere], token: Secret(Scene.token))
        let viewer = Viewer(
            settings: ViewerSettings(port: 0, nameFolder: folder.path, network: network), clock: SimulatedClock(), log: .silent,
            isOwn: { $0 == .loopback })
        do throws(Trouble) { try viewer.start() } catch {
            // The machine has no IPv6.
            #expect(error.description.contains("make a socket"))
            return
        }
        defer { viewer.stop() }
        let invitation = try #require(viewer.invite())
        let parts = invitation.split(separator: "/")
        let port = try #require(viewer.port)
        let reply = try await Scene.send("GET", "http://127.0.0.1:\(port)/" + parts[2], headers: [("Host", String(parts[1]))])
        #expect(reply.status == 303)
        let there = "http://\(Scene.elsewhere):\(port)"
        #expect(try await Scene.send("POST", there + "/", headers: [("Origin", there)], body: Array(Scene.right.utf8)).status == 303)
    }
}
