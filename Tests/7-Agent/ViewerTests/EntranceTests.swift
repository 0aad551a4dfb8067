import Glibc
import LocalHTTP
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Viewer

/// The way in from elsewhere in the network, and who tries it without being wanted.
@Suite(.onLoop)
struct EntranceTests {
    private static let token = "correct-horse+battery=%2B"
    /// What a browser makes of the form.
    private static let right = "token=\(token)\r\n"
    /// Any other address of this machine does for one of a network.
    private static let elsewhere = "127.0.0.2"

    @LoopActor private func scene(_ address: String = elsewhere, names: [String] = ["tablet-calls.lan"]) throws -> Scene {
        let address = try #require(IPAddress(address))
        return try Scene(network: ViewerSettings.Network(address: address, names: names, token: Secret(Self.token)))
    }

    @LoopActor private func url(_ scene: Scene) -> String { "http://\(Self.elsewhere):\(scene.port)" }

    /// Sends the form; headers given replace the browser's.
    @LoopActor private func give(
        _ body: String, _ scene: Scene, headers: [(String, String)] = [], from source: String? = nil
    ) async throws -> HTTPProbe.Reply {
        let usual = [("Origin", url(scene)), ("Content-Type", "text/plain")].filter { mine in !headers.contains { $0.0 == mine.0 } }
        let all = usual + headers.filter { !$0.1.isEmpty }
        return try await Scene.send("POST", url(scene) + "/", headers: all, body: Array(body.utf8), from: source)
    }

    private func isForm(_ reply: HTTPProbe.Reply) -> Bool {
        reply.text.contains("name=\"token\"") && reply.headers["set-cookie"] == nil && !reply.text.contains(Self.token)
            && !reply.text.contains("woodshed-token")
    }

    /// Whoever is asked for the token at a chart goes on at the chart; nobody's page leads anywhere else.
    @LoopActor
    @Test(arguments: [
        ("/chart/a%20b?plan=1&page=2", "/chart/a%20b?plan=1&page=2"), ("/plan/7", "/plan/7"), ("/", "/"), ("//elsewhere.test/chart/1", "/"),
        ("/api/state", "/"),
    ])
    func signingInLeadsBackToWhereOneWas(place: String, next: String) async throws {
        let scene = try scene()
        let form = try await Scene.send("GET", url(scene) + place.replacing("//", with: "/"))
        #expect(isForm(form) != place.hasPrefix("/api/"))
        let reply = try await give(Self.right, scene, headers: [("Referer", url(scene) + place)])
        #expect(reply.status == 303 && reply.headers["location"]?.hasPrefix(next + "#token=") == true, "\(reply.headers)")
        let other = try await give(Self.right, scene, headers: [("Referer", "http://elsewhere.test" + place)])
        #expect(other.headers["location"]?.hasPrefix("/#token=") == true)
    }

    @LoopActor @Test(arguments: [elsewhere, "0.0.0.0"]) func whoKnowsTheTokenIsLetIn(address: String) async throws {
        let scene = try scene(address, names: [Self.elsewhere])
        #expect(isForm(try await Scene.send("GET", url(scene) + "/")))
        let reply = try await give(Self.right, scene)
        #expect(reply.status == 303 && reply.headers["location"]?.hasPrefix("/#token=") == true)
        let line = try #require(reply.headers["set-cookie"])
        #expect(line.contains("; HttpOnly; SameSite=Strict") && line.contains("; Path=/") && !line.contains(Self.token))
        let tablet = try Tablet(reply)
        let page = try await Scene.send("GET", url(scene) + "/", headers: [tablet.cookie])
        #expect(page.status == 200 && page.text.contains("woodshed-token"))
        let image = "/pages/\(FakeSource.name(0, .plain))"
        #expect(try await Scene.send("GET", url(scene) + image, headers: tablet.headers).body == FakeImages.bytes)
        let change = tablet.headers + [("Origin", url(scene)), ("Content-Type", "application/json")]
        #expect(try await Scene.send("POST", url(scene) + "/api/sync", headers: change, body: Array("{}".utf8)).status == 200)
        // What this machine's own browsers do is as ever.
        #expect(try await scene.get("/api/state").status == 200)
        #expect(try await scene.post("/api/sync", "{}").status == 200)
    }

    /// A page that signs in without being left; nothing is put behind its address.
    @LoopActor @Test func pageThatStaysIsToldWhatItSendsFromThenOn() async throws {
        let scene = try scene()
        let reply = try await give(Self.right, scene, headers: [("Accept", "application/json")])
        #expect(reply.status == 200 && reply.headers["location"] == nil)
        let token = try #require(reply.text.wholeMatch(of: /\{"token":"([0-9a-f]+)","rights":"change"\}\n?/)?.1)
        let headers = [("Cookie", String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })), ("X-Woodshed-Token", String(token))]
        #expect(try await Scene.send("GET", url(scene) + "/api/state", headers: headers).status == 200)
        #expect(isForm(try await give("token=x\r\n", scene, headers: [("Accept", "application/json")])))
    }

    /// Whoever listens on another port of the same address is sent the cookie.
    @LoopActor @Test func cookieAloneShowsNothingOfTheMusicians() async throws {
        let scene = try scene()
        let tablet = try Tablet(try await give(Self.right, scene))
        let shell = try await Scene.send("GET", url(scene) + "/", headers: [tablet.cookie])
        #expect(shell.text.contains("name=\"woodshed-token\" content=\"\"") && shell.text.contains("name=\"woodshed-pass\" content=\"\""))
        // What follows from the cookie, or is another browser's, helps no further.
        let other = try Tablet(try await give(Self.right, scene))
        let derived = SHA256.digest(of: "woodshed token " + (tablet.cookie.1.split(separator: "=").last ?? "")).hex
        for header in [[], [("X-Woodshed-Token", "")], [("X-Woodshed-Token", derived)], [other.token]] {
            for path in ["/api/state", "/api/events", "/api/plan/p1", "/pages/\(FakeSource.name(0, .plain))", "/live/a1/0", "/pdf/plan/p1"]
            {
                let reply = try await Scene.send(
                    "GET", url(scene) + path + "?token=\(header.first?.1 ?? "")", headers: [tablet.cookie] + header)
                #expect(reply.status == 403 && reply.body != FakeImages.bytes, "\(path)")
            }
            let change = [tablet.cookie, ("Origin", url(scene)), ("Content-Type", "application/json")] + header
            #expect(try await Scene.send("POST", url(scene) + "/api/sync", headers: change, body: Array("{}".utf8)).status == 403)
        }
        #expect(scene.source.asked.isEmpty && scene.source.syncs == 0 && !scene.source.isLookedAt)
        // Only a stream has it in its address.
        #expect(try await Scene.send("GET", url(scene) + "/api/state?token=\(tablet.token.1)", headers: [tablet.cookie]).status == 403)
        #expect(try await Scene.send("GET", url(scene) + "/api/state", headers: tablet.headers).status == 200)
    }

    /// Another user of the laptop who caught it cannot use it from there; nor is what was caught there good elsewhere.
    @LoopActor @Test func whatLetsATabletInIsRefusedOnThisMachine() async throws {
        let scene = try scene("0.0.0.0", names: [Self.elsewhere])
        let tablet = try Tablet(try await give(Self.right, scene))
        for path in ["/", "/api/state", "/assets/icon.svg"] {
            #expect(try await Scene.send("GET", url(scene) + path, headers: tablet.headers, from: "127.0.0.1").status == 403, "\(path)")
            #expect(try await Scene.send("GET", url(scene) + path, headers: tablet.headers, from: "127.0.0.9").status == 200, "\(path)")
        }
        // By the names of this machine, it is another browser.
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: tablet.headers).status == 403)
        let local = ("Cookie", try Scene.cookie(of: scene.viewer))
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: [local]).status == 200)
        #expect(try await Scene.send("GET", url(scene) + "/", headers: [local]).status == 403)
    }

    /// It would be let out again at once.
    @LoopActor @Test func nobodySignsInAsATabletOnThisMachine() async throws {
        let scene = try scene()
        let invitation = try #require(scene.viewer.tabletInvitation(to: .plans)).address
        for reply in [
            try await give(Self.right, scene, from: "127.0.0.1"), try await Scene.send("GET", invitation, from: "127.0.0.1"),
            try await Scene.send("GET", url(scene) + "/", from: "127.0.0.1"),
        ] {
            #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !isForm(reply))
            #expect(reply.text.contains("on the computer that runs Woodshed") && reply.text.contains("woodshed open"))
        }
        #expect(try await Scene.send("GET", invitation).status == 303, "it was not used up")
    }

    /// By a token of their own.
    @LoopActor @Test func guestsLookAtEverythingAndChangeNothing() async throws {
        let guests = "battery+staple+horse"
        let address = try #require(IPAddress(Self.elsewhere))
        let scene = try Scene(
            network: ViewerSettings.Network(address: address, names: [], token: Secret(Self.token), guestToken: Secret(guests)))
        let guest = try Tablet(try await give("token=\(guests)\r\n", scene, headers: [("User-Agent", "Firefox/1")]))
        #expect(scene.viewer.browsers.map(\.name) == ["Firefox, a guest"])
        func rights(_ tablet: Tablet) async throws -> Bool {
            try await Scene.send("GET", url(scene) + "/", headers: tablet.headers).text.contains(
                "name=\"woodshed-rights\" content=\"change\"")
        }
        #expect(try await !rights(guest))
        for path in ["/api/state", "/api/plan/p1", "/api/chart/a1", "/api/others", "/pages/\(FakeSource.name(0, .plain))"] {
            #expect(try await Scene.send("GET", url(scene) + path, headers: guest.headers).status == 200, "\(path)")
        }
        for path in ["/pdf/plan/p1", "/pdf/chart/a1"] {
            let reply = try await Scene.send("GET", url(scene) + path, headers: guest.headers)
            #expect(reply.status == 403 && reply.text.contains("A guest looks at everything"), "\(path)")
        }
        func post(_ path: String, _ body: String, _ tablet: Tablet) async throws -> HTTPProbe.Reply {
            let headers = tablet.headers + [("Origin", url(scene)), ("Content-Type", "application/json")]
            return try await Scene.send("POST", url(scene) + path, headers: headers, body: Array(body.utf8))
        }
        for path in ["/api/layers", "/api/seen", "/api/accept", "/api/sync", "/api/charts/a1/ink", "/api/tablet"] {
            let reply = try await post(path, "{}", guest)
            #expect(reply.status == 403 && reply.text.contains("A guest looks at everything"), "\(path)")
        }
        #expect(scene.source.syncs == 0)
        #expect(try await post("/api/look", "{}", guest).status == 200)
        let musician = try Tablet(try await give(Self.right, scene))
        #expect(try await rights(musician))
        #expect(try await post("/api/sync", "{}", musician).status == 200)

        // With another token for guests, these come anew, and nobody else.
        var settings = scene.viewer.settings
        settings.network = ViewerSettings.Network(address: address, names: [], token: Secret(Self.token), guestToken: Secret("another+one"))
        #expect(scene.viewer.take(guestsOf: settings) && !scene.viewer.take(guestsOf: settings))
        func state(_ tablet: Tablet) async throws -> Int {
            try await Scene.send("GET", url(scene) + "/api/state", headers: tablet.headers).status
        }
        #expect(try await state(guest) == 403)
        #expect(try await state(musician) == 200)
        #expect(try await give("token=\(guests)\r\n", scene).status == 403)
        #expect(try await state(Tablet(give("token=another+one\r\n", scene))) == 200)
        settings.network = ViewerSettings.Network(address: address, names: [], token: Secret("another+for+all"), guestToken: nil)
        #expect(!scene.viewer.take(guestsOf: settings), "that is not of guests alone")
    }

    @LoopActor @Test func withoutTheTokenNothingIsToBeHad() async throws {
        let scene = try scene()
        for path in [
            "/", "/plan/p1", "/chart/a1", "/api/state", "/api/events", "/pages/\(FakeSource.name(0, .plain))", "/assets/icon.svg",
        ] {
            for method in ["GET", "HEAD", "POST", "PUT"] {
                let reply = try await Scene.send(method, url(scene) + path + "?token=\(Self.token)", headers: [("X-Token", Self.token)])
                #expect(reply.status == 403, "\(method) \(path)")
                #expect(!["Abide", "woodshed-token"].contains { reply.text.contains($0) } && reply.headers["set-cookie"] == nil)
                #expect(reply.body != FakeImages.bytes)
            }
        }
        #expect(scene.source.asked.isEmpty && scene.source.syncs == 0 && !scene.source.isLookedAt)
    }

    @LoopActor
    @Test(arguments: [
        "", "token=", "token=\r\n", "token=x\r\n", "\(token)", "Token=\(token)", "token=\(token)x", "token=\(token.dropLast())",
        "token=\(token.uppercased())", "token=correct-horse%2Bbattery%3D%252B", "token=\(token)&token=\(token)",
    ])
    func wrongTokenLetsNobodyIn(body: String) async throws {
        let scene = try scene()
        let reply = try await give(body, scene)
        #expect(reply.status == 403 && isForm(reply) && reply.text.contains("not the token"))
    }

    @LoopActor @Test func tokenThatATabletPutABlankBehindIsRight() async throws {
        let scene = try scene()
        #expect(try await give("token=\(Self.token) \r\n", scene).status == 303)
    }

    @LoopActor @Test func manyWrongTriesEndTheTrying() async throws {
        let scene = try scene()
        for _ in 0..<5 { #expect(try await give("token=guess\r\n", scene).status == 403) }
        for body in ["token=guess\r\n", Self.right, Self.right] {
            let reply = try await give(body, scene)
            #expect(reply.status == 429 && isForm(reply) && reply.text.contains("Wait a minute"))
        }
        // Of one device: not once more by another name, either.
        let named = [("Host", "tablet-calls.lan:\(scene.port)"), ("Origin", "http://tablet-calls.lan:\(scene.port)")]
        #expect(try await give(Self.right, scene, headers: named).status == 429)
        let local = try await Scene.send("POST", scene.origin + "/", headers: [("Origin", scene.origin)], body: Array(Self.right.utf8))
        #expect(local.status == 303, "this machine's own browsers are another matter")
        // Who was let in before stays so, and 'woodshed open' works.
        #expect(try await scene.get("/api/state").status == 200)
        #expect(try await Scene.send("GET", scene.viewer.invite() ?? "").status == 303)
        scene.clock.skip(.seconds(59))
        #expect(try await give(Self.right, scene).status == 429)
        scene.clock.skip(.seconds(1))
        #expect(try await give(Self.right, scene).status == 303)
    }

    @LoopActor @Test func wrongTriesOfOneDeviceShutOutNoOther() async throws {
        let scene = try scene()
        for _ in 0..<8 { _ = try await give("token=guess\r\n", scene, from: "127.0.0.66") }
        #expect(try await give(Self.right, scene, from: "127.0.0.66").status == 429)
        #expect(try await give(Self.right, scene, from: "127.0.0.67").status == 303)
        // Its own mistakes are its own, too.
        for _ in 0..<4 { #expect(try await give("token=typo\r\n", scene, from: "127.0.0.68").status == 403) }
        #expect(try await give(Self.right, scene, from: "127.0.0.68").status == 303)
    }

    /// In a home with addresses of version 6 all devices' begin alike.
    @LoopActor @Test func wrongTriesOfOneDeviceShutOutNoOtherOfItsHome() throws {
        let entrance = TokenEntrance(token: Secret(Self.token), clock: SimulatedClock())
        func address(_ end: String) throws -> IPAddress { try #require(IPAddress("fe80::\(end)")) }
        for _ in 0..<8 { _ = entrance.judge(Array("token=guess".utf8), from: try address("66")) }
        #expect(entrance.judge(Array(Self.right.utf8), from: try address("66")) == .exhausted)
        #expect(entrance.judge(Array(Self.right.utf8), from: try address("67")) == .right(mayChange: true))
    }

    private final class LogLines: Sendable {
        private let kept = Mutex<[String]>([])
        var texts: [String] { kept.withLock { $0 } }
        var log: Log { Log { [self] _, text in kept.withLock { $0.append(text) } } }
    }

    /// Strangers together guess no faster than a few would; nobody who has been here before has to wait for that.
    @LoopActor @Test func strangersShutOutNobodyWhoIsKnown() throws {
        let (folder, clock) = (TemporaryFolder(), SimulatedClock())
        let lines = LogLines()
        func entrance() -> TokenEntrance { TokenEntrance(token: Secret(Self.token), folder: folder.path, clock: clock, log: lines.log) }
        func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
        let tablet = try address("192.168.1.20")
        #expect(entrance().judge(Array(Self.right.utf8), from: tablet) == .right(mayChange: true))
        // The agent was started again, and somebody with any number of addresses is there first.
        let judge = entrance()
        for number in 1...20 { #expect(judge.judge(Array("token=guess".utf8), from: try address("fe80::\(number)")) == .wrong) }
        #expect(lines.texts.isEmpty)
        for number in 21...23 { #expect(judge.judge(Array(Self.right.utf8), from: try address("fe80::\(number)")) == .exhausted) }
        #expect(judge.judge(Array(Self.right.utf8), from: try address("192.168.1.21")) == .exhausted)
        #expect(lines.texts.count == 1 && lines.texts[0].contains("the last from fe80::21"), "\(lines.texts)")
        for known in [tablet, .loopback] {
            for _ in 0..<4 { #expect(judge.judge(Array("token=typo".utf8), from: known) == .wrong) }
            #expect(judge.judge(Array(Self.right.utf8), from: known) == .right(mayChange: true))
        }
        // Nor do the mistakes of those who are known shut out others.
        clock.skip(.seconds(60))
        for _ in 0..<5 { #expect(judge.judge(Array("token=typo".utf8), from: tablet) == .wrong) }
        #expect(judge.judge(Array(Self.right.utf8), from: tablet) == .exhausted)
        #expect(judge.judge(Array(Self.right.utf8), from: try address("192.168.1.22")) == .right(mayChange: true))
        #expect(lines.texts.count == 2)
    }

    @LoopActor @Test func manyDevicesGuessNoFasterForBeingMany() async throws {
        let scene = try scene()
        var judged = 0
        for device in 1...20 {
            for _ in 0..<5 where try await give("token=guess\r\n", scene, from: "127.0.1.\(device)").status == 403 { judged += 1 }
        }
        #expect(judged == 20)
        #expect(try await give(Self.right, scene, from: "127.0.2.1").status == 429)
        scene.clock.skip(.seconds(60))
        #expect(try await give(Self.right, scene, from: "127.0.2.1").status == 303)
    }

    /// A page elsewhere that has a visitor's browser send the form neither lets it in nor uses up the tries.
    @LoopActor @Test func formOfAnotherPageIsRefused() async throws {
        let scene = try scene()
        let foreign = [
            "", "null", "http://evil.example", "https://127.0.0.2:\(scene.port)", "http://127.0.0.2", "http://127.0.0.2:\(scene.port)/",
            scene.origin, "http://tablet-calls.lan:\(scene.port)", "http://127.0.0.2:\(scene.port).evil.example",
        ]
        for origin in foreign {
            for body in [Self.right, "token=guess\r\n"] {
                let reply = try await give(body, scene, headers: [("Origin", origin)])
                #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !reply.text.contains("<"), "\(origin)")
            }
        }
        let twice = try await give(Self.right, scene, headers: [("Origin", url(scene)), ("origin", "http://evil.example")])
        #expect(twice.status == 403)
        #expect(try await give(Self.right, scene).status == 303)
    }

    /// A page elsewhere points a name of its own at this machine.
    @LoopActor
    @Test(arguments: [
        "evil.example", "evil.example:PORT", "127.0.0.2", "127.0.0.2:1", "127.0.0.1:PORT", "localhost:PORT", "0.0.0.0:PORT",
        "tablet-calls.lan",
        "x.tablet-calls.lan:PORT", "",
    ])
    func otherNamesAreNotAnswered(host: String) async throws {
        let scene = try scene()
        let host = host.replacing("PORT", with: "\(scene.port)")
        for (method, body) in [("GET", ""), ("POST", Self.right)] {
            let reply = try await Scene.send(
                method, url(scene) + "/", headers: [("Host", host), ("Origin", "http://" + host)], body: Array(body.utf8))
            #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !reply.text.contains("name=\"token\""))
        }
        let named = [("Host", "Tablet-Calls.lan:\(scene.port)"), ("Origin", "http://tablet-calls.lan:\(scene.port)")]
        #expect(try await give(Self.right, scene, headers: named).status == 303)
    }

    @LoopActor @Test func wildcardAnswersToNamesThatWereThoughtOfOnly() async throws {
        let scene = try scene("0.0.0.0", names: ["tablet-calls.lan"])
        for (host, status) in [("127.0.0.2", 403), ("0.0.0.0", 403), ("evil.example", 403), ("tablet-calls.lan", 303), ("localhost", 303)] {
            let headers = [("Host", "\(host):\(scene.port)"), ("Origin", "http://\(host):\(scene.port)")]
            #expect(try await give(Self.right, scene, headers: headers).status == status, "\(host)")
        }
    }

    @LoopActor @Test func viewerOfThisMachineIsAtNoOtherAddress() async throws {
        let scene = try Scene()
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.connect(to: Self.elsewhere, port: scene.port) }
        // It takes no token, whatever that is.
        let origin = scene.origin
        let reply = try await Scene.send("POST", origin + "/", headers: [("Origin", origin)], body: Array("token=\r\n".utf8))
        #expect(reply.status == 403 && !isForm(reply))
        #expect(!isForm(try await Scene.send("GET", origin + "/")))
    }

    @LoopActor @Test func formIsFenced() async throws {
        let scene = try scene()
        let replies = [
            try await Scene.send("GET", url(scene) + "/"), try await give("token=<script>alert(1)</script>\r\n", scene),
            try await Scene.send("GET", url(scene) + "/%3Cscript%3Ealert(1)"), try await give(Self.right, scene),
        ]
        for reply in replies {
            #expect(!reply.text.contains("alert") && reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["x-content-type-options"] == "nosniff" && reply.headers["x-frame-options"] == "DENY")
            #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
            #expect(reply.headers["access-control-allow-origin"] == nil)
        }
        for reply in replies.dropLast() {
            #expect(
                reply.headers["content-security-policy"]
                    == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
            #expect(reply.headers["referrer-policy"] == "same-origin")
        }
        #expect(replies.last?.headers["content-security-policy"]?.contains("form-action 'none'") == true)
        #expect(try await scene.get("/").headers["content-security-policy"]?.contains("form-action 'none'") == true)
    }

    @LoopActor @Test func letInEndsWithTheViewer() async throws {
        let scene = try scene()
        let tablet = try Tablet(try await give(Self.right, scene))
        let port = scene.port
        let settings = scene.viewer.settings
        scene.viewer.stop()
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.connect(to: Self.elsewhere, port: port) }
        let next = Viewer(
            settings: ViewerSettings(port: port, nameFolder: nil, network: settings.network), clock: scene.clock, log: .silent,
            isOwn: { $0 == .loopback })
        try next.start()
        defer { next.stop() }
        #expect(try await Scene.send("GET", "http://\(Self.elsewhere):\(port)/", headers: tablet.headers).status == 403)
    }

    /// A laptop that left its network still shows its own browsers their pages.
    @LoopActor @Test func addressThatIsNotThereIsNoReasonToShowNothing() async throws {
        let scene = try scene("192.0.2.1")
        #expect(try await scene.get("/api/state").status == 200)
    }

    /// `::` holds what else is kept from others.
    @LoopActor @Test func everyAddressOfBothVersionsNeedsNoReservation() async throws {
        let folder = TemporaryFolder()
        let address = try #require(IPAddress("::"))
        let network = ViewerSettings.Network(address: address, names: [Self.elsewhere], token: Secret(Self.token))
        let viewer = Viewer(
            settings: ViewerSettings(port: 0, nameFolder: folder.path, network: network), clock: SimulatedClock(), log: .silent,
            isOwn: { $0 == .loopback })
        do throws(ViewerFailure) { try viewer.start() } catch {
            // A machine without IPv6.
            #expect(error.description.contains("make a socket"))
            return
        }
        defer { viewer.stop() }
        let invitation = try #require(viewer.invite())
        let parts = invitation.split(separator: "/")
        let port = try #require(viewer.port)
        let reply = try await Scene.send("GET", "http://127.0.0.1:\(port)/" + parts[2], headers: [("Host", String(parts[1]))])
        #expect(reply.status == 303)
        let there = "http://\(Self.elsewhere):\(port)"
        #expect(try await Scene.send("POST", there + "/", headers: [("Origin", there)], body: Array(Self.right.utf8)).status == 303)
    }
}
