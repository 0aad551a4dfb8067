import Glibc
import Model
import Platform
import TestSupport
import Testing
import Viewer

/// Attempts by strangers, who must not see or change anything.
@Suite(.onLoop)
struct AttackTests {
    private static let paths = [
        "/", "/plan/p1", "/chart/a1", "/api/state", "/api/others", "/api/plan/p1", "/api/chart/a1", "/api/events",
        "/live/a1/0?of=\(ImageName.folder(of: FakeSource.hash))&marked=0&long=9",
        "/pages/\(FakeSource.name(0, .plain))", "/pages/\(FakeSource.missing)", "/assets/icon.svg", "/none", "/open",
        "/open?secret=", "/pdf/plan/p1", "/pdf/chart/a%2F1?plan=p1",
    ]

    /// Whether a reply contains nothing that is only for signed-in browsers.
    private func leaksNothing(_ reply: HTTPProbe.Reply, _ token: String) -> Bool {
        !["Abide", "woodshed-token", token, "\(FakeSource.hash)", "made now"].contains { reply.text.contains($0) }
            && reply.headers["set-cookie"] == nil && reply.body != FakeImages.bytes
    }

    @LoopActor private func isUntouched(_ source: FakeSource) -> Bool {
        source.looked.isEmpty && source.selected.isEmpty && source.hidden.isEmpty && source.seen.isEmpty
            && source.accepted.isEmpty && source.syncs == 0
            && source.asked.isEmpty && source.lives.isEmpty && source.pdfs.isEmpty && !source.isLookedAt
    }

    @LoopActor @Test(arguments: ["GET", "HEAD", "POST", "PUT", "OPTIONS"]) func withoutACookieNothingIsToBeHad(method: String) async throws
    {
        let scene = try Scene()
        let token = try await scene.token()
        let wrong = ["", "woodshed-\(scene.port)=", "woodshed-\(scene.port)=\(String(repeating: "0", count: 64))", "a=b; c"]
        for path in Self.paths {
            for cookie in wrong {
                let reply = try await Scene.send(method, scene.origin + path, headers: [("Cookie", cookie)])
                #expect(reply.status == 403, "\(path)")
                #expect(leaksNothing(reply, token), "\(path)")
            }
        }
        #expect(isUntouched(scene.source))
    }

    /// Strangers can use only a few of the connections, and cannot end the connection of a signed-in browser.
    @LoopActor @Test func strangersConnectionsDoNotPushOutAGuest() throws {
        let scene = try Scene()
        let guest = Descriptor(owning: try HTTPProbe.connect(port: scene.port))
        let cookie = try Scene.cookie(of: scene.viewer)
        func isServed() throws -> Bool {
            let text = "HEAD / HTTP/1.1\r\nHost: 127.0.0.1:\(scene.port)\r\nCookie: \(cookie)\r\n\r\n"
            try Array(text.utf8).withUnsafeBytes { try guest.write($0) }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(guest.number, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).hasPrefix("HTTP/1.1 200 ")
        }
        #expect(try isServed())
        let strangers = try (0..<80).map { _ in try HTTPProbe.connect(port: scene.port) }
        defer { for number in strangers { close(number) } }
        var byte: UInt8 = 0
        for number in strangers.prefix(64) {
            // errno holds a reason only after a failure.
            let count = recv(number, &byte, 1, 0)
            #expect(count == 0 || count < 0 && errno != EAGAIN)
        }
        #expect(try isServed())
        for number in strangers.suffix(16) { #expect(recv(number, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN) }
    }

    @LoopActor @Test func strangerIsToldWhatToRun() async throws {
        let scene = try Scene()
        let reply = try await Scene.send("GET", scene.origin + "/")
        #expect(reply.text.contains("woodshed open"))
        #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
        #expect(try await Scene.send("GET", scene.origin + "/api/state").headers["content-type"] == "application/json")
    }

    /// Another site points one of its own names at this machine; the browser would even send that name's cookie.
    @LoopActor @Test(arguments: ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:PORT", "[::1]:PORT"])
    func otherNamesAreNotAnswered(host: String) async throws {
        let scene = try Scene()
        let token = try await scene.token()
        let host = host.replacing("PORT", with: "\(scene.port)")
        for path in Self.paths {
            let reply = try await scene.get(path, headers: [("Host", host)])
            #expect(reply.status == 403)
            #expect(leaksNothing(reply, token))
        }
        let reply = try await scene.post("/api/sync", "{}", headers: [("Host", host), ("Origin", "http://" + host)])
        #expect(reply.status == 403)
        #expect(isUntouched(scene.source))
    }

    @LoopActor @Test func changesComeFromPagesOfOurOwnOnly() async throws {
        let scene = try Scene()
        let other = try Scene.cookie(of: scene.viewer)
        let foreign = [
            "", "null", "http://evil.example", "https://127.0.0.1:\(scene.port)", "http://127.0.0.1", "http://127.0.0.1:\(scene.port)/",
            "http://127.0.0.1:\(scene.port).evil.example", "http://localhost:\(scene.port)", "http://127.0.0.1:1",
        ]
        for origin in foreign {
            #expect(try await scene.post("/api/sync", "{}", headers: [("Origin", origin)]).status == 403, "\(origin)")
        }
        let twice = try await scene.post(
            "/api/sync", "{}", headers: [("Origin", "http://evil.example"), ("origin", scene.origin)])
        #expect(twice.status == 403)
        for token in ["", "0", String(try await scene.token().dropLast()), String(repeating: "0", count: 64)] {
            #expect(try await scene.post("/api/sync", "{}", headers: [("X-Woodshed-Token", token)]).status == 403)
        }
        // A token of one browser is of no use in another.
        #expect(try await scene.post("/api/sync", "{}", headers: [("Cookie", other)]).status == 403)
        for type in ["", "text/plain", "application/x-www-form-urlencoded"] {
            #expect(try await scene.post("/api/sync", "{}", headers: [("Content-Type", type)]).status == 415)
        }
        for method in ["GET", "HEAD"] { #expect(try await scene.get("/api/sync", method: method).status == 404) }
        #expect(isUntouched(scene.source))
        #expect(try await scene.post("/api/sync", "{}").status == 200)
        #expect(scene.source.syncs == 1)
    }

    /// For a browser, another port of this machine is the same site, so requests from pages there carry the cookie. They are
    /// refused all the same.
    @LoopActor @Test(arguments: ["cross-site", "same-site"]) func pagesElsewhereEmbedNothing(site: String) async throws {
        let scene = try Scene()
        let token = try await scene.token()
        for destination in ["image", "script", "iframe", "empty", "worker", "object"] {
            for path in Self.paths {
                let reply = try await scene.get(
                    path, headers: [("Sec-Fetch-Site", site), ("Sec-Fetch-Dest", destination), ("Sec-Fetch-Mode", "no-cors")])
                #expect(reply.status == 403)
                #expect(leaksNothing(reply, token))
            }
        }
        #expect(isUntouched(scene.source))
    }

    /// The browser withholds the cookie when it follows a link from elsewhere, so an empty page of ours repeats the request.
    @LoopActor @Test func linkFromElsewhereIsAskedAgainByUs() async throws {
        let scene = try Scene()
        let click = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate")]
        let reply = try await Scene.send("GET", scene.origin + "/plan/p1", headers: click)
        #expect(reply.status == 200)
        #expect(reply.text.contains("http-equiv=\"refresh\" content=\"0\""))
        #expect(leaksNothing(reply, try await scene.token()))
        let again = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate")]
        #expect(try await Scene.send("GET", scene.origin + "/plan/p1", headers: again).status == 403)
        #expect(try await scene.get("/plan/p1", headers: again).status == 200)
    }

    @LoopActor @Test func pathTricksLeadNowhere() async throws {
        let scene = try Scene()
        let name = "\(FakeSource.name(0, .plain))"
        let tricks = [
            "/pages/../../../etc/passwd", "/pages/%2e%2e/%2e%2e/etc/passwd", "/pages/..%2f..%2fetc%2fpasswd", "/assets/../icon.svg",
            "/assets/%2Fetc%2Fpasswd", "/assets//etc/passwd", "/assets/./icon.svg", "/assets/icon.svg%00.png",
            "/pages//\(name)",
            "/pages/\(name)/", "/pages/\(name.uppercased())", "/pages/\(name).png", "/pages/0\(name)", "/pages/", "/pages/x/y",
            "/pages/\(name.replacing("/", with: "%5C"))", "/assets/icon.svg/", "/assets/", "/api/", "/api/state/", "/api/plan/",
            "/live/",
        ]
        for path in tricks {
            let reply = try await scene.get(path)
            #expect([400, 404].contains(reply.status), "\(path)")
            #expect(!reply.text.contains("root:"))
        }
        #expect(scene.source.asked.isEmpty)
    }

    @LoopActor @Test func absurdNumbersAreRefused() async throws {
        let scene = try Scene()
        let numbers = ["-9223372036854775808", "-1", "9223372036854775807", "9223372036854775808", "1000000", "1e9", "NaN", "", "%00"]
        let folder = ImageName.folder(of: FakeSource.hash)
        for number in numbers {
            #expect([400, 404].contains(try await scene.get("/live/a1/\(number)?of=\(folder)&marked=0&long=9").status), "\(number)")
            let long = try await scene.get("/live/a1/0?of=\(folder)&marked=0&long=\(number)").status
            #expect([200, 400, 404].contains(long), "\(number)")
            for body in [#"{"chart":"a1","page":\#(number),"marked":true}"#, #"{"chart":"a1","page":"\#(number)","marked":true}"#] {
                #expect(try await scene.post("/api/select", body).status == 400, "\(number)")
            }
            // The server may answer an invalid length by closing the connection.
            _ = try? await scene.get("/", headers: [("Content-Length", number)])
            _ = try await scene.get("/pages/\(FakeSource.name(0, .plain))", headers: [("Range", "bytes=0-\(number)")])
        }
        #expect(scene.source.selected.isEmpty)
        #expect(try await scene.get("/api/state").status == 200)
    }

    @LoopActor @Test func oversizedRequestsAreRefused() async throws {
        let scene = try Scene()
        let long = String(repeating: "x", count: 100_000)
        #expect([414, 431].contains(try await scene.get("/" + long).status))
        #expect([413, 431].contains(try await scene.get("/", headers: [("X", long)]).status))
        #expect(try await scene.post("/api/look", "{\"plan\":\"\(long)\"}").status == 413)
        #expect(isUntouched(scene.source))
        #expect(try await scene.get("/api/state").status == 200)
    }

    @LoopActor @Test(.needs(.realTime)) func slowRequestIsCut() async throws {
        let scene = try Scene()
        let port = scene.port
        let isCut = try await SideThread().run {
            let socket = try HTTPProbe.connect(port: port)
            defer { close(socket) }
            let text = "GET / HTTP/1.1\r\nX: "
            send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, 0) == 0
        }
        #expect(isCut)
    }

    @LoopActor @Test func thousandConnectionsHarmNobody() async throws {
        let scene = try Scene()
        let port = scene.port
        let crowd = try await SideThread().run {
            try (0..<1000).map { number in
                let socket = try HTTPProbe.connect(port: port)
                if number % 2 == 0 { send(socket, "GET / HTTP/1.1\r\n", 16, Int32(MSG_NOSIGNAL)) }
                return socket
            }
        }
        defer { for socket in crowd { close(socket) } }
        for _ in 0..<10 {
            #expect(try await scene.get("/api/state").status == 200)
            #expect(try await scene.get("/pages/\(FakeSource.name(0, .annotated))").body == FakeImages.bytes)
        }
    }

    @LoopActor @Test func titlesStayText() async throws {
        let scene = try Scene()
        scene.source.title = "</script><script>alert(1)</script>\"'&\u{2028}\u{0}"
        for path in ["/api/state", "/api/plan/p1", "/api/chart/a1?plan=p1&item=i1", "/api/plan/<script>"] {
            let reply = try await scene.get(path.replacing("<", with: "%3C"))
            #expect(!reply.text.contains("<"))
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-type"] == "application/json")
        }
        for path in ["/%3Cscript%3Ealert(1)", "/plan/%3Cscript%3Ealert(1)"] {
            #expect(!(try await scene.get(path)).text.contains("alert(1)"))
            #expect(!(try await Scene.send("GET", scene.origin + path)).text.contains("alert(1)"))
        }
    }

    @LoopActor @Test func everyAnswerIsFenced() async throws {
        let scene = try Scene()
        for path in Self.paths where path != "/api/events" {
            for reply in [try await scene.get(path), try await Scene.send("GET", scene.origin + path)] {
                #expect(reply.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
                #expect(reply.headers["referrer-policy"] == "no-referrer")
                #expect(reply.headers["x-frame-options"] == "DENY")
                #expect(reply.headers["access-control-allow-origin"] == nil)
            }
        }
    }
}
