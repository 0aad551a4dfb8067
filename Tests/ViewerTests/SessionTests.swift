import Glibc
import Model
import Platform
import TestSupport
import Testing
import Viewer

/// How a browser is let in, and how long that holds.
@Suite(.onLoop, .timeLimit(.minutes(5)))
struct SessionTests {
    @LoopActor @Test func addressIsGoodOnceAndLeadsToItsPage() async throws {
        let scene = try Scene()
        let place = ViewerPlace.chart(AttachmentID("a/1 ?"), plan: PlanID("p&1"), item: ItemID("é"))
        let address = try #require(scene.viewer.invite(to: place))
        // Neither a look ahead nor a HEAD uses it up.
        #expect(try await Scene.send("HEAD", address).status == 403)
        #expect(try await Scene.send("GET", address, headers: [("Sec-Purpose", "prefetch")]).status == 403)
        let reply = try await Scene.send("GET", address)
        #expect(reply.status == 303)
        #expect(reply.headers["location"] == "/chart/a%2F1%20%3F?plan=p%261&item=%C3%A9")
        let cookie = try #require(reply.headers["set-cookie"])
        #expect(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.contains("; Path=/") && !cookie.contains("Domain"))
        let again = try await Scene.send("GET", address)
        #expect(again.status == 403)
        #expect(again.headers["set-cookie"] == nil)
    }

    @LoopActor @Test func addressIsGoodForAMinute() async throws {
        let scene = try Scene()
        let clock = scene.clock
        let early = try #require(scene.viewer.invite())
        let late = try #require(scene.viewer.invite())
        #expect(early != late)
        try await clock.run { try await clock.sleep(for: .seconds(59)) }
        #expect(try await Scene.send("GET", early).status == 303)
        try await clock.run { try await clock.sleep(for: .seconds(1)) }
        #expect(try await Scene.send("GET", late).status == 403)
    }

    /// An agent that is started anew in the middle of a service goes on as before; its file opens nothing to who reads it.
    @LoopActor @Test func browsersAreRememberedByHashesOfTheirCookies() async throws {
        let scene = try Scene()
        let cookie = try Scene.cookie(of: scene.viewer)
        let path = scene.folder.path("viewer-sessions")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = String(decoding: try AtomicFile.read(path, limit: 10_000), as: UTF8.self)
        let port = scene.port
        let value = try #require(cookie.split(separator: "=").last)
        #expect(!text.contains(value))
        scene.viewer.stop()
        let next = Viewer(
            source: scene.source, images: FakeImages(),
            settings: ViewerSettings(port: port, sessionsFolder: scene.folder.path, nameFolder: nil),
            clock: scene.clock, log: .silent)
        try next.start()
        defer { next.stop() }
        let url = "http://127.0.0.1:\(port)/api/state"
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookie)]).status == 200)
        for line in text.split(separator: "\n") {
            #expect(try await Scene.send("GET", url, headers: [("Cookie", "woodshed-\(port)=\(line)")]).status == 403)
        }
    }

    @LoopActor @Test func damagedFileLetsNobodyIn() async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write("nonsense\n\u{0}\n" + String(repeating: "z", count: 64), to: folder.path("viewer-sessions"))
        let viewer = Viewer(
            source: FakeSource(), images: FakeImages(), settings: ViewerSettings(port: 0, sessionsFolder: folder.path, nameFolder: nil),
            clock: SimulatedClock(), log: .silent)
        try viewer.start()
        defer { viewer.stop() }
        let cookie = try Scene.cookie(of: viewer)
        let url = "http://127.0.0.1:\(viewer.port ?? 0)/api/state"
        #expect(try await Scene.send("GET", url, headers: [("Cookie", "woodshed-\(viewer.port ?? 0)=nonsense")]).status == 403)
        #expect(try await Scene.send("GET", url, headers: [("Cookie", "other=1; " + cookie)]).status == 200)
    }

    @LoopActor @Test func oldestBrowserGoesWhenThereAreTooMany() async throws {
        let scene = try Scene()
        let cookies = try (0..<33).map { _ in try Scene.cookie(of: scene.viewer) }
        let url = scene.origin + "/api/state"
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[0])]).status == 403)
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[1])]).status == 200)
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[32])]).status == 200)
    }

    /// Cookies are sent to every port of a name, so the name is one that no other user of the machine can guess.
    @LoopActor @Test func nameOfTheAddressesIsOurOwnAndKept() async throws {
        let folder = TemporaryFolder()
        var hosts: [String] = []
        for damage in [false, false, true] {
            if damage { try AtomicFile.write("woodshed-x.example\n", to: folder.path("viewer-name")) }
            let viewer = Viewer(
                source: FakeSource(), images: FakeImages(),
                settings: ViewerSettings(port: 0, sessionsFolder: nil, nameFolder: folder.path), clock: SimulatedClock(), log: .silent)
            try viewer.start()
            defer { viewer.stop() }
            let port = try #require(viewer.port)
            let parts = try #require(viewer.invite()).split(separator: "/")
            let host = String(parts[1])
            #expect(host.wholeMatch(of: /woodshed-[0-9a-f]{24}\.localhost:\d+/) != nil)
            let base = "http://127.0.0.1:\(port)/"
            let reply = try await Scene.send("GET", base + parts[2], headers: [("Host", host)])
            #expect(reply.status == 303)
            let cookie = String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })
            #expect(try await Scene.send("GET", base, headers: [("Host", host), ("Cookie", cookie)]).status == 200)
            // Nobody else takes the port of the address that browsers try first.
            #expect(!Self.canListen(onLoopback6: port))
            hosts.append(String(host.prefix { $0 != ":" }))
        }
        #expect(hosts[0] == hosts[1] && hosts[1] != hosts[2])
        var status = stat()
        #expect(stat(folder.path("viewer-name"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @LoopActor @Test(.enabled(if: canListen(onLoopback6: 0), "needs IPv6"))
    func portThatSomebodyHoldsElsewhereIsNotTrusted() async throws {
        let folder = TemporaryFolder()
        let free = Viewer(
            source: FakeSource(), images: FakeImages(), settings: ViewerSettings(port: 0, sessionsFolder: nil, nameFolder: nil),
            clock: SimulatedClock(), log: .silent)
        try free.start()
        let port = try #require(free.port)
        free.stop()
        let squatter = try #require(Self.listener(onLoopback6: port))
        defer { close(squatter) }
        let viewer = Viewer(
            source: FakeSource(), images: FakeImages(),
            settings: ViewerSettings(port: port, sessionsFolder: nil, nameFolder: folder.path), clock: SimulatedClock(), log: .silent)
        try viewer.start()
        defer { viewer.stop() }
        #expect(viewer.invite()?.hasPrefix("http://127.0.0.1:\(port)/") == true)
    }

    private static func canListen(onLoopback6 port: UInt16) -> Bool {
        guard let number = listener(onLoopback6: port) else { return false }
        close(number)
        return true
    }

    /// As rudely as a socket can.
    private static func listener(onLoopback6 port: UInt16) -> Int32? {
        let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(number, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
        }
        if code == 0, listen(number, 1) == 0 { return number }
        close(number)
        return nil
    }

    @LoopActor @Test func takenPortIsSaid() async throws {
        let scene = try Scene()
        let second = Viewer(
            source: FakeSource(), images: FakeImages(), settings: ViewerSettings(port: scene.port, sessionsFolder: nil, nameFolder: nil),
            clock: scene.clock, log: .silent)
        let failure = #expect(throws: ViewerFailure.self) { try second.start() }
        #expect(failure?.description.contains("port \(scene.port)") == true)
        #expect(second.invite() == nil && second.port == nil)
    }
}
