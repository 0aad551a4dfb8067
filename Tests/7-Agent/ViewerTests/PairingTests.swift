import Glibc
import LocalHTTP
import Model
import Platform
import TestSupport
import Testing

@testable import Viewer

/// The agent's computer lets a tablet in, and no other device.
@Suite(.onLoop)
struct PairingTests {
    /// Another address of this machine stands for one on the network.
    private static let elsewhere = "127.0.0.2"
    private static let token = "correct-horse+battery"

    @LoopActor private func scene(_ address: String = elsewhere, names: [String] = []) throws -> Scene {
        let address = try #require(IPAddress(address))
        return try Scene(network: ViewerSettings.Network(address: address, names: names, token: Secret(Self.token)))
    }

    @LoopActor @Test func anAddressLetsOneTabletIn() async throws {
        let scene = try scene()
        let address = try #require(scene.viewer.tabletInvitation(to: .plan(PlanID("p1")))?.address)
        #expect(address.wholeMatch(of: /http:\/\/127\.0\.0\.2:\d+\/open\?secret=[0-9a-f]{32}/) != nil, "\(address)")
        // Neither a link preview nor a HEAD request uses the address up.
        #expect(try await Scene.send("HEAD", address).status == 403)
        #expect(try await Scene.send("GET", address, headers: [("Sec-Purpose", "prefetch;prerender")]).status == 403)
        let entry = try await Scene.send("GET", address)
        #expect(
            entry.status == 303 && entry.headers["location"]?.hasPrefix("/plan/p1#token=") == true
                && entry.headers["referrer-policy"] == "no-referrer")
        let tablet = try Tablet(entry)
        #expect(try await Scene.send("GET", "http://\(Self.elsewhere):\(scene.port)/api/state", headers: tablet.headers).status == 200)

        let again = try await Scene.send("GET", address)
        #expect(again.status == 403 && again.headers["set-cookie"] == nil && again.text.contains("name=\"token\""))
        #expect(again.text.contains("used already, or its time is over.") && again.text.contains("<code>woodshed open --tablet</code>"))
        // The tablet itself is in, as when it opens the address from its history.
        let own = try await Scene.send("GET", address, headers: [tablet.cookie])
        #expect(own.status == 303 && own.headers["location"] == "/plan/p1" && own.headers["set-cookie"] == nil)
        #expect(scene.viewer.browsers.count == 1)
    }

    @LoopActor @Test func anAddressIsGoodForThreeMinutes() async throws {
        let scene = try scene()
        let (early, late) = (scene.viewer.tabletInvitation(to: .plans)?.address, scene.viewer.tabletInvitation(to: .plans)?.address)
        #expect(early != late)
        try await scene.clock.run { try await scene.clock.sleep(for: .seconds(179)) }
        #expect(try await Scene.send("GET", early ?? "").status == 303)
        try await scene.clock.run { try await scene.clock.sleep(for: .seconds(1)) }
        #expect(try await Scene.send("GET", late ?? "").status == 403)
    }

    /// Not every tablet can resolve the name of the laptop, so an IP address is preferred if there is one.
    @LoopActor
    @Test(arguments: [
        ("127.0.0.2", ["laptop.local"], "127.0.0.2"), ("0.0.0.0", ["laptop.local", "127.0.0.3"], "127.0.0.3"),
        ("0.0.0.0", ["laptop.local", "laptop.lan"], "laptop.local"),
    ])
    func anAddressIsPreferredToAName(listen: String, names: [String], host: String) throws {
        let address = try #require(try scene(listen, names: names).viewer.tabletInvitation(to: .plans)?.address)
        #expect(address.hasPrefix("http://\(host):"), "\(address)")
    }

    @LoopActor @Test func aPageOnThisMachineGetsACode() async throws {
        let scene = try scene()
        let reply = try await scene.post("/api/tablet", "{}")
        #expect(reply.status == 200 && reply.headers["cache-control"] == "no-store")
        #expect(reply.text.contains("\"path\":\"M4 4h7v1h-7z") && reply.text.contains("\"seconds\":180"))
        #expect(reply.text.contains("\"site\":\"http://127.0.0.2:\(scene.port)\"") && !reply.text.contains("secret"))
    }

    @LoopActor @Test func nobodyElseGetsOne() async throws {
        let scene = try scene()
        func isRefused(_ reply: HTTPProbe.Reply) -> Bool {
            reply.status >= 400 && !["path", "secret"].contains(where: reply.text.contains)
        }
        // Requests with a session are refused unless a page of ours sends them; so are requests without a session.
        for header in ["X-Woodshed-Token", "Origin", "Cookie", "Content-Type"] {
            #expect(isRefused(try await scene.post("/api/tablet", "{}", headers: [(header, "")])), "without \(header)")
        }
        #expect(isRefused(try await scene.get("/api/tablet")))
        // A tablet cannot let others in, whatever name it uses for this machine.
        let site = "http://\(Self.elsewhere):\(scene.port)"
        let entry = try await Scene.send("GET", try #require(scene.viewer.tabletInvitation(to: .plans)?.address))
        let headers = try Tablet(entry).headers + [("Origin", site), ("Content-Type", "application/json")]
        #expect(try await Scene.send("POST", site + "/api/sync", headers: headers, body: Array("{}".utf8)).status == 200)
        let asked = try await Scene.send("POST", site + "/api/tablet", headers: headers, body: Array("{}".utf8))
        #expect(isRefused(asked) && asked.text.contains("Only a browser on the computer that runs Woodshed"))
    }

    @LoopActor @Test func tabletsAreListedAndSignedOut() async throws {
        let scene = try scene()
        let site = "http://\(Self.elsewhere):\(scene.port)"
        #expect(try await !scene.get("/api/state").text.contains("browsers"))
        let agents = [
            "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36",
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "",
        ]
        var tablets: [Tablet] = []
        for agent in agents {
            let address = try #require(scene.viewer.tabletInvitation(to: .plans)?.address)
            tablets.append(try Tablet(try await Scene.send("GET", address, headers: [("User-Agent", agent)])))
        }
        let browsers = scene.viewer.browsers
        #expect(browsers.map(\.name) == ["Safari on an iPad", "Chrome on an Android tablet", "Firefox on Linux", "A browser"])
        #expect(browsers.allSatisfy { $0.since == scene.clock.timestamp })
        let listed = try await scene.get("/api/state").text
        #expect(browsers.allSatisfy { listed.contains("\"id\":\"\($0.id)\",\"name\":\"\($0.name)\"") })

        // A tablet sees and ends only its own session.
        func state(_ tablet: Tablet) async throws -> HTTPProbe.Reply {
            try await Scene.send("GET", site + "/api/state", headers: tablet.headers)
        }
        func end(_ browser: ViewerBrowser, by tablet: Tablet) async throws -> Int {
            let headers = tablet.headers + [("Origin", site), ("Content-Type", "application/json")]
            return try await Scene.send("POST", site + "/api/end", headers: headers, body: Array(#"{"id":"\#(browser.id)"}"#.utf8)).status
        }
        let own = try await state(tablets[0]).text
        #expect(own.contains(browsers[0].id) && !own.contains(browsers[1].id))
        #expect(try await end(browsers[1], by: tablets[0]) == 410)
        #expect(try await state(tablets[1]).status == 200)
        #expect(try await end(browsers[0], by: tablets[0]) == 200)
        #expect(try await state(tablets[0]).status == 403)

        #expect(try await scene.post("/api/end", #"{"id":"\#(browsers[1].id)"}"#).status == 200)
        #expect(try await scene.post("/api/end", #"{"id":"\#(browsers[1].id)"}"#).status == 410)
        #expect(try await state(tablets[1]).status == 403)
        #expect(scene.viewer.end(browser: browsers[2].id) && !scene.viewer.end(browser: browsers[2].id))
        #expect(try await state(tablets[2]).status == 403)
        #expect(scene.viewer.browsers == [browsers[3]])
        #expect(try await scene.get("/api/state").status == 200, "this machine's own browser stays")
    }

    /// Signing in again, by a code or by the token, ends the former session, so nobody who caught that session can use it.
    @LoopActor @Test(arguments: [true, false]) func aTabletThatSignsInAnewIsOneBrowser(byCode: Bool) async throws {
        let scene = try scene()
        let site = "http://\(Self.elsewhere):\(scene.port)"
        func signIn(_ headers: [(String, String)]) async throws -> Tablet {
            let address = try #require(scene.viewer.tabletInvitation(to: .plans)?.address)
            if byCode { return try Tablet(try await Scene.send("GET", address, headers: headers)) }
            let body = Array("token=\(Self.token)".utf8)
            return try Tablet(try await Scene.send("POST", site + "/", headers: headers + [("Origin", site)], body: body))
        }
        func isIn(_ tablet: Tablet) async throws -> Bool {
            try await Scene.send("GET", site + "/api/state", headers: tablet.headers).status == 200
        }
        let (first, other) = (try await signIn([]), try await signIn([]))
        #expect(scene.viewer.browsers.count == 2)
        let second = try await signIn([first.cookie])
        #expect(scene.viewer.browsers.count == 2)
        #expect(try await [isIn(first), isIn(other), isIn(second)] == [false, true, true])
        // A sign-in with the cookie of this machine's own browser does not end that browser's session.
        let local = ("Cookie", try Scene.cookie(of: scene.viewer))
        _ = try await signIn([local])
        #expect(scene.viewer.browsers.count == 3)
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: [local]).status == 200)
    }

    /// The former session has ended, so its stream must not go on receiving events.
    @LoopActor @Test func theFormerStreamOfATabletThatSignsInAnewEnds() async throws {
        let scene = try scene()
        func enter(_ headers: [(String, String)]) async throws -> Tablet {
            try Tablet(try await Scene.send("GET", try #require(scene.viewer.tabletInvitation(to: .plans)?.address), headers: headers))
        }
        let tablet = try await enter([])
        let socket = try HTTPProbe.connect(to: Self.elsewhere, from: Self.elsewhere, port: scene.port)
        defer { close(socket) }
        let lines = [
            "GET /api/events?token=\(tablet.token.1) HTTP/1.1", "Host: \(Self.elsewhere):\(scene.port)", "Cookie: \(tablet.cookie.1)", "",
            "",
        ]
        let text = lines.joined(separator: "\r\n")
        #expect(send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
        try await waitUntil { scene.source.isLookedAt }
        _ = try await enter([tablet.cookie])
        try await waitUntil { !scene.source.isLookedAt }
    }

    /// While the token's file is missing, nothing shows whether the token is still valid.
    @LoopActor @Test func whoIsInStaysWhileNobodyCanSignIn() async throws {
        let scene = try scene()
        let site = "http://\(Self.elsewhere):\(scene.port)"
        func sign(in address: String?) async throws -> HTTPProbe.Reply {
            if let address { return try await Scene.send("GET", address) }
            return try await Scene.send("POST", site + "/", headers: [("Origin", site)], body: Array("token=\(Self.token)".utf8))
        }
        func code() throws -> String { try #require(scene.viewer.tabletInvitation(to: .plans)?.address) }
        let tablet = try Tablet(try await sign(in: nil))
        func isIn() async throws -> Bool {
            try await Scene.send("GET", site + "/api/state", headers: tablet.headers).status == 200
        }
        let unused = try code()
        scene.viewer.close(to: .all)
        for address in [nil, unused] {
            let reply = try await sign(in: address)
            #expect(reply.status == 503 && reply.headers["set-cookie"] == nil && reply.text.contains("Nobody can sign in at present"))
        }
        #expect(try await scene.post("/api/tablet", "{}").text.contains("Nobody can sign in at present"))
        #expect(try await isIn())
        scene.viewer.close(to: .guests)
        #expect(try await sign(in: unused).status == 303, "it was not used up")
        scene.viewer.endAll(.guests)
        #expect(try await isIn())
        scene.viewer.endAll(.all)
        #expect(try await !isIn())
        #expect(scene.viewer.browsers.isEmpty)
        #expect(try await scene.get("/api/state").status == 200, "this machine's own browser stays")
        scene.viewer.close(to: .none)
        #expect(try await sign(in: nil).status == 303)
    }

    @LoopActor @Test func withoutANetworkItIsSaidWhatToDo() async throws {
        let scene = try Scene()
        #expect(scene.viewer.tabletInvitation(to: .plans) == nil)
        let reply = try await scene.post("/api/tablet", "{}")
        #expect(reply.status == 200 && reply.text.contains("woodshed help tablet"))
    }
}
