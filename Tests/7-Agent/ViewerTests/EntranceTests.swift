import LocalHTTP
import Model
import Platform
import TestSupport
import Testing

@testable import Viewer

/// The entrance for browsers elsewhere on the network.
@Suite(.onLoop)
struct EntranceTests {
    /// A browser that has to sign in at a chart continues at that chart; the address of another site is ignored.
    @LoopActor
    @Test(arguments: [
        ("/chart/a%20b?plan=1&page=2", "/chart/a%20b?plan=1&page=2"), ("/plan/7", "/plan/7"), ("/", "/"), ("//elsewhere.test/chart/1", "/"),
        ("/api/state", "/"),
    ])
    func signingInLeadsBackToWhereOneWas(place: String, next: String) async throws {
        let scene = try Scene.entrance()
        let form = try await Scene.send("GET", scene.url + place.replacing("//", with: "/"))
        #expect(Scene.isForm(form) != place.hasPrefix("/api/"))
        let reply = try await scene.give(Scene.right, headers: [("Referer", scene.url + place)])
        #expect(reply.status == 303 && reply.headers["location"]?.hasPrefix(next + "#token=") == true, "\(reply.headers)")
        let other = try await scene.give(Scene.right, headers: [("Referer", "http://elsewhere.test" + place)])
        #expect(other.headers["location"]?.hasPrefix("/#token=") == true)
    }

    @LoopActor @Test(arguments: [Scene.elsewhere, "0.0.0.0"]) func whoKnowsTheTokenIsLetIn(address: String) async throws {
        let scene = try Scene.entrance(address, names: [Scene.elsewhere])
        #expect(Scene.isForm(try await Scene.send("GET", scene.url + "/")))
        let reply = try await scene.give(Scene.right)
        #expect(reply.status == 303 && reply.headers["location"]?.hasPrefix("/#token=") == true)
        let line = try #require(reply.headers["set-cookie"])
        #expect(line.contains("; HttpOnly; SameSite=Strict") && line.contains("; Path=/") && !line.contains(Scene.token))
        let tablet = try Tablet(reply)
        let page = try await Scene.send("GET", scene.url + "/", headers: [tablet.cookie])
        #expect(page.status == 200 && page.text.contains("woodshed-token"))
        let image = "/pages/\(FakeSource.name(0, .plain))"
        #expect(try await Scene.send("GET", scene.url + image, headers: tablet.headers).body == FakeImages.bytes)
        let change = tablet.headers + [("Origin", scene.url), ("Content-Type", "application/json")]
        #expect(try await Scene.send("POST", scene.url + "/api/sync", headers: change, body: Array("{}".utf8)).status == 200)
        // This machine's own browsers stay signed in.
        #expect(try await scene.get("/api/state").status == 200)
        #expect(try await scene.post("/api/sync", "{}").status == 200)
    }

    /// A musician knows neither commands nor settings.
    @LoopActor @Test func theFormFoldsAwayWhatOnlyTheLaptopsKeeperNeeds() async throws {
        let scene = try Scene.entrance()
        let parts = try await Scene.send("GET", scene.url + "/").text.split(separator: "<details>")
        try #require(parts.count == 2)
        #expect(parts[0].contains("ask whoever looks after the laptop") && !parts[0].contains("<code>"))
        #expect(parts[1].contains("viewer.token_file") && parts[1].contains("woodshed open --tablet"))
    }

    /// A page can sign in without being left: it gets the token in the answer, and nothing is added to its address.
    @LoopActor @Test func pageThatStaysIsToldWhatItSendsFromThenOn() async throws {
        let scene = try Scene.entrance()
        let reply = try await scene.give(Scene.right, headers: [("Accept", "application/json")])
        #expect(reply.status == 200 && reply.headers["location"] == nil)
        let token = try #require(reply.text.wholeMatch(of: /\{"token":"([0-9a-f]+)","rights":"change"\}\n?/)?.1)
        let headers = [("Cookie", String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })), ("X-Woodshed-Token", String(token))]
        #expect(try await Scene.send("GET", scene.url + "/api/state", headers: headers).status == 200)
        #expect(Scene.isForm(try await scene.give("token=x\r\n", headers: [("Accept", "application/json")])))
    }

    /// Browsers send the cookie to programs on other ports of the same address, too, so the cookie alone must not give access.
    @LoopActor @Test func cookieAloneShowsNothingOfTheMusicians() async throws {
        let scene = try Scene.entrance()
        let tablet = try Tablet(try await scene.give(Scene.right))
        let shell = try await Scene.send("GET", scene.url + "/", headers: [tablet.cookie])
        #expect(shell.text.contains("name=\"woodshed-token\" content=\"\"") && shell.text.contains("name=\"woodshed-pass\" content=\"\""))
        // A value derived from the cookie does not help, either.
        let derived = SHA256.digest(of: "woodshed token " + (tablet.cookie.1.split(separator: "=").last ?? "")).hex
        for header in [[], [("X-Woodshed-Token", "")], [("X-Woodshed-Token", derived)]] {
            for path in ["/api/state", "/api/events", "/api/plan/p1", "/pages/\(FakeSource.name(0, .plain))", "/live/a1/0", "/pdf/plan/p1"]
            {
                let reply = try await Scene.send(
                    "GET", scene.url + path + "?token=\(header.first?.1 ?? "")", headers: [tablet.cookie] + header)
                #expect(reply.status == 403 && reply.body != FakeImages.bytes, "\(path)")
            }
            let change = [tablet.cookie, ("Origin", scene.url), ("Content-Type", "application/json")] + header
            #expect(try await Scene.send("POST", scene.url + "/api/sync", headers: change, body: Array("{}".utf8)).status == 403)
        }
        #expect(scene.source.asked.isEmpty && scene.source.syncs == 0 && !scene.source.isLookedAt)
        // Only a stream may have the token in its address.
        #expect(try await Scene.send("GET", scene.url + "/api/state?token=\(tablet.token.1)", headers: [tablet.cookie]).status == 403)
        #expect(try await Scene.send("GET", scene.url + "/api/state", headers: tablet.headers).status == 200)
    }

    /// A program on another port of the same address can replace the cookie, or fill up the room for cookies. An open page stays
    /// signed in by its token all the same.
    @LoopActor @Test func aPageStaysSignedInWhateverBecomesOfTheCookie() async throws {
        let scene = try Scene.entrance()
        let tablet = try Tablet(try await scene.give(Scene.right))
        let other = try Tablet(try await scene.give(Scene.right))
        for cookie in [[], [(tablet.cookie.0, tablet.cookie.1 + "x")], [other.cookie]] {
            let headers = cookie + [tablet.token]
            #expect(try await Scene.send("GET", scene.url + "/api/state", headers: headers).status == 200)
            let change = headers + [("Origin", scene.url), ("Content-Type", "application/json")]
            #expect(try await Scene.send("POST", scene.url + "/api/sync", headers: change, body: Array("{}".utf8)).status == 200)
        }
        // A session ends as a whole, both for its cookie and for its token.
        let id = try #require(scene.viewer.browsers.first?.id)
        #expect(scene.viewer.end(browser: id))
        #expect(try await Scene.send("GET", scene.url + "/api/state", headers: [tablet.token]).status == 403)
        #expect(try await Scene.send("GET", scene.url + "/api/state", headers: [other.token]).status == 200)
        // On the computer itself, a tablet's token is not accepted.
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: [other.token]).status == 403)
    }

    /// A user of the laptop who caught a tablet's token cannot use it there; nor is the laptop's own cookie good elsewhere.
    @LoopActor @Test func whatLetsATabletInIsRefusedOnThisMachine() async throws {
        let scene = try Scene.entrance("0.0.0.0", names: [Scene.elsewhere])
        let tablet = try Tablet(try await scene.give(Scene.right))
        for path in ["/", "/api/state", "/assets/icon.svg"] {
            #expect(try await Scene.send("GET", scene.url + path, headers: tablet.headers, from: "127.0.0.1").status == 403, "\(path)")
            #expect(try await Scene.send("GET", scene.url + path, headers: tablet.headers, from: "127.0.0.9").status == 200, "\(path)")
        }
        // Under this machine's own names, the tablet is an unknown browser.
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: tablet.headers).status == 403)
        let local = ("Cookie", try Scene.cookie(of: scene.viewer))
        #expect(try await Scene.send("GET", scene.origin + "/api/state", headers: [local]).status == 200)
        #expect(try await Scene.send("GET", scene.url + "/", headers: [local]).status == 403)
    }

    /// On the agent's own computer a tablet's session is refused, so a browser that signed in there would be signed out immediately.
    @LoopActor @Test func nobodySignsInAsATabletOnThisMachine() async throws {
        let scene = try Scene.entrance()
        let invitation = try #require(scene.viewer.tabletInvitation(to: .plans)).address
        for reply in [
            try await scene.give(Scene.right, from: "127.0.0.1"), try await Scene.send("GET", invitation, from: "127.0.0.1"),
            try await Scene.send("GET", scene.url + "/", from: "127.0.0.1"),
        ] {
            #expect(reply.status == 403 && reply.headers["set-cookie"] == nil && !Scene.isForm(reply))
            #expect(reply.text.contains("on the computer that runs Woodshed") && reply.text.contains("woodshed open"))
        }
        #expect(try await Scene.send("GET", invitation).status == 303, "it was not used up")
    }

    /// Guests sign in with a token of their own, and may only look.
    @LoopActor @Test func guestsLookAtEverythingAndChangeNothing() async throws {
        let guests = "battery+staple+horse"
        let address = try #require(IPAddress(Scene.elsewhere))
        let scene = try Scene(
            network: ViewerSettings.Network(address: address, names: [], token: Secret(Scene.token), guestToken: Secret(guests)))
        let guest = try Tablet(try await scene.give("token=\(guests)\r\n", headers: [("User-Agent", "Firefox/1")]))
        #expect(scene.viewer.browsers.map(\.name) == ["Firefox, a guest"])
        func rights(_ tablet: Tablet) async throws -> Bool {
            try await Scene.send("GET", scene.url + "/", headers: tablet.headers).text.contains(
                "name=\"woodshed-rights\" content=\"change\"")
        }
        #expect(try await !rights(guest))
        for path in ["/api/state", "/api/plan/p1", "/api/chart/a1", "/api/others", "/pages/\(FakeSource.name(0, .plain))"] {
            #expect(try await Scene.send("GET", scene.url + path, headers: guest.headers).status == 200, "\(path)")
        }
        for path in ["/pdf/plan/p1", "/pdf/chart/a1", "/api/set/set%2F2026-12-06.txt", "/api/file/file%2Fx"] {
            let reply = try await Scene.send("GET", scene.url + path, headers: guest.headers)
            #expect(reply.status == 403 && reply.text.contains("A guest looks at everything"), "\(path)")
        }
        func post(_ path: String, _ body: String, _ tablet: Tablet) async throws -> HTTPProbe.Reply {
            let headers = tablet.headers + [("Origin", scene.url), ("Content-Type", "application/json")]
            return try await Scene.send("POST", scene.url + path, headers: headers, body: Array(body.utf8))
        }
        for path in [
            "/api/layers", "/api/song", "/api/share", "/api/seen", "/api/accept", "/api/sync", "/api/charts/a1/ink", "/api/tablet",
            "/api/set", "/api/together", "/api/tonight",
        ] {
            let reply = try await post(path, "{}", guest)
            #expect(reply.status == 403 && reply.text.contains("A guest looks at everything"), "\(path)")
        }
        #expect(scene.source.syncs == 0)
        #expect(try await post("/api/look", "{}", guest).status == 200)
        let musician = try Tablet(try await scene.give(Scene.right))
        #expect(try await rights(musician))
        #expect(try await post("/api/sync", "{}", musician).status == 200)

        // The number of sessions is limited, but however many guests sign in, the sessions of musicians stay.
        for _ in 0..<31 { _ = try await scene.give(Scene.right) }
        for _ in 0..<20 { _ = try await scene.give("token=\(guests)\r\n") }
        #expect(try await post("/api/sync", "{}", musician).status == 200)
        let last = try Tablet(try await scene.give("token=\(guests)\r\n"))
        #expect(try await post("/api/look", "{}", last).status == 200)

        // If the guests' token changes, only guests must sign in again.
        var settings = scene.viewer.settings
        settings.network = ViewerSettings.Network(
            address: address, names: [], token: Secret(Scene.token), guestToken: Secret("another+one"))
        #expect(scene.viewer.adopt(guestsOf: settings) && !scene.viewer.adopt(guestsOf: settings))
        func state(_ tablet: Tablet) async throws -> Int {
            try await Scene.send("GET", scene.url + "/api/state", headers: tablet.headers).status
        }
        #expect(try await state(guest) == 403)
        #expect(try await state(musician) == 200)
        #expect(try await scene.give("token=\(guests)\r\n").status == 403)
        #expect(try await state(Tablet(scene.give("token=another+one\r\n"))) == 200)
        settings.network = ViewerSettings.Network(address: address, names: [], token: Secret("another+for+all"), guestToken: nil)
        #expect(!scene.viewer.adopt(guestsOf: settings), "that is not of guests alone")
    }

    @LoopActor @Test func withoutTheTokenNothingIsToBeHad() async throws {
        let scene = try Scene.entrance()
        for path in [
            "/", "/plan/p1", "/chart/a1", "/api/state", "/api/events", "/pages/\(FakeSource.name(0, .plain))", "/assets/icon.svg",
        ] {
            for method in ["GET", "HEAD", "POST", "PUT"] {
                let reply = try await Scene.send(method, scene.url + path + "?token=\(Scene.token)", headers: [("X-Token", Scene.token)])
                #expect(reply.status == 403, "\(method) \(path)")
                #expect(!["Abide", "woodshed-token"].contains { reply.text.contains($0) } && reply.headers["set-cookie"] == nil)
                #expect(reply.body != FakeImages.bytes)
            }
        }
        #expect(scene.source.asked.isEmpty && scene.source.syncs == 0 && !scene.source.isLookedAt)
    }

    @LoopActor
    @Test(arguments: [
        "", "token=", "token=\r\n", "token=x\r\n", "\(Scene.token)", "Token=\(Scene.token)", "token=\(Scene.token)x",
        "token=\(Scene.token.dropLast())",
        "token=\(Scene.token.uppercased())", "token=correct-horse%2Bbattery%3D%252B", "token=\(Scene.token)&token=\(Scene.token)",
    ])
    func wrongTokenLetsNobodyIn(body: String) async throws {
        let scene = try Scene.entrance()
        let reply = try await scene.give(body)
        #expect(reply.status == 403 && Scene.isForm(reply) && reply.text.contains("not the token"))
    }

    @LoopActor @Test func tokenThatATabletPutABlankBehindIsRight() async throws {
        let scene = try Scene.entrance()
        #expect(try await scene.give("token=\(Scene.token) \r\n").status == 303)
    }

    @LoopActor @Test func formIsFenced() async throws {
        let scene = try Scene.entrance()
        let replies = [
            try await Scene.send("GET", scene.url + "/"), try await scene.give("token=<script>alert(1)</script>\r\n"),
            try await Scene.send("GET", scene.url + "/%3Cscript%3Ealert(1)"), try await scene.give(Scene.right),
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
        let scene = try Scene.entrance()
        let tablet = try Tablet(try await scene.give(Scene.right))
        let port = scene.port
        let settings = scene.viewer.settings
        scene.viewer.stop()
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.connect(to: Scene.elsewhere, port: port) }
        let next = Viewer(
            settings: ViewerSettings(port: port, nameFolder: nil, network: settings.network), clock: scene.clock, log: .silent,
            isOwn: { $0 == .loopback })
        try next.start()
        defer { next.stop() }
        #expect(try await Scene.send("GET", "http://\(Scene.elsewhere):\(port)/", headers: tablet.headers).status == 403)
    }
}
