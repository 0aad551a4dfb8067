import Glibc
import LocalHTTP
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import Viewer

/// How a browser is let in, and for how long.
@Suite(.onLoop)
struct SessionTests {
    @LoopActor @Test func addressIsGoodOnceAndLeadsToItsPage() async throws {
        let scene = try Scene()
        let place = ViewerPlace.chart(AttachmentID("a/1 ?"), plan: PlanID("p&1"), item: ItemID("é"))
        let address = try #require(scene.viewer.invite(to: place))
        // Neither a link preview nor a HEAD request uses the address up.
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
        #expect(again.text.contains("used already, or its time is over. To see your plans in this browser, run: <code>woodshed"))
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

    @LoopActor @Test func whatALetterBroughtGoesOnceItIsUsedOrOutdated() async throws {
        let scene = try Scene()
        let over = Over()
        let invitations = try (0..<3).map { number in
            let invitation = try #require(scene.viewer.invitation(to: .plans))
            invitation.whenOver { over.note(number) }
            return invitation
        }
        #expect(over.numbers == [])
        #expect(try await Scene.send("HEAD", invitations[1].address).status == 403)
        #expect(over.numbers == [])
        #expect(try await Scene.send("GET", invitations[1].address).status == 303)
        #expect(over.numbers == [1])
        try await scene.clock.run { [clock = scene.clock] in try await clock.sleep(for: .seconds(60)) }
        #expect(over.numbers.prefix(1) == [1] && Set(over.numbers) == [0, 1, 2])
        // A listener that is added late is called immediately.
        invitations[1].whenOver { over.note(3) }
        let last = try #require(scene.viewer.invitation(to: .plans))
        last.whenOver { over.note(4) }
        scene.viewer.stop()
        #expect(over.numbers.suffix(2) == [3, 4] && over.numbers.count == 5)
    }

    private final class Over: Sendable {
        private let noted = Mutex<[Int]>([])
        var numbers: [Int] { noted.withLock { $0 } }
        func note(_ number: Int) { noted.withLock { $0.append(number) } }
    }

    /// A program that takes the port once it is free gets the cookie of any page that is still open, so the cookie must be
    /// worthless by then.
    @LoopActor @Test func browsersAreForgottenWhenThePortIsLetGo() async throws {
        let scene = try Scene()
        let cookie = try Scene.cookie(of: scene.viewer)
        let port = scene.port
        let url = "http://127.0.0.1:\(port)/api/state"
        #expect(try await Scene.send("GET", url, headers: [("Cookie", "other=1; " + cookie)]).status == 200)
        scene.viewer.stop()
        let next = Viewer(settings: ViewerSettings(port: port, nameFolder: nil), clock: scene.clock, log: .silent)
        for viewer in [next, scene.viewer] {
            try viewer.start()
            defer { viewer.stop() }
            viewer.show(scene.source, images: FakeImages())
            let port = try #require(viewer.port)
            let same = "woodshed-\(port)=" + cookie.drop { $0 != "=" }.dropFirst()
            let reply = try await Scene.send("GET", "http://127.0.0.1:\(port)/api/state", headers: [("Cookie", same)])
            #expect(reply.status == 403 && reply.text.contains("Run: woodshed open"))
        }
    }

    /// If an agent restarts in the middle of a service, the port stays reserved, and browsers go on as before.
    @LoopActor @Test func browsersStayLetInWhileAnotherSourceComes() async throws {
        let scene = try Scene()
        let port = scene.port
        scene.viewer.rest()
        #expect(!scene.source.hasNewsHandler)
        #expect(throws: (any Error).self) {
            try Viewer(settings: ViewerSettings(port: port, nameFolder: nil), clock: scene.clock, log: .silent).start()
        }
        // While there is no source, a request waits for the new one, unless the request needs no source.
        #expect(try await scene.get("/assets/icon.svg").status == 200)
        let waiting = spawnThrowing {
            (try await scene.get("/api/state").text, try await scene.get("/pages/\(FakeSource.name(0, .plain))").body)
        }
        #expect(try await scene.get("/plan/p1").status == 200)
        let other = FakeSource()
        other.title = "Another"
        scene.viewer.show(other, images: FakeImages())
        let (state, image) = try await waiting.value
        #expect(state.contains("Another") && image == FakeImages.bytes)
        #expect(other.hasNewsHandler && scene.port == port)
    }

    @LoopActor @Test func oldestBrowserGoesWhenThereAreTooMany() async throws {
        let scene = try Scene()
        let cookies = try (0..<33).map { _ in try Scene.cookie(of: scene.viewer) }
        let url = scene.origin + "/api/state"
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[0])]).status == 403)
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[1])]).status == 200)
        #expect(try await Scene.send("GET", url, headers: [("Cookie", cookies[32])]).status == 200)
    }

    /// A browser sends cookies to every port of a name, so the name must be one that no other user of the machine can guess.
    @LoopActor @Test func nameOfTheAddressesIsOurOwnAndKept() async throws {
        let folder = TemporaryFolder()
        var hosts: [String] = []
        for damage in [false, false, true] {
            if damage { try AtomicFile.write("woodshed-x.example\n", to: folder.path("viewer-name")) }
            let viewer = Viewer(
                settings: ViewerSettings(port: 0, nameFolder: folder.path), clock: SimulatedClock(), log: .silent)
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
            // No other program can take the port at the address that browsers try first.
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
            settings: ViewerSettings(port: 0, nameFolder: nil),
            clock: SimulatedClock(), log: .silent)
        try free.start()
        let port = try #require(free.port)
        free.stop()
        let squatter = try #require(Self.listener(onLoopback6: port))
        defer { close(squatter) }
        // A port that was set by hand is not changed.
        var settings = ViewerSettings(port: port, nameFolder: folder.path)
        let fixed = Viewer(settings: settings, clock: SimulatedClock(), log: .silent)
        let failure = #expect(throws: Trouble.self) { try fixed.start() }
        #expect(failure?.description == "the pages cannot be shown: another program uses port \(port) of ::1")
        #expect(fixed.port == nil && fixed.invite() == nil)
        (settings.port, settings.usualPorts) = (nil, port...min(port, .max - 9) + 9)
        let viewer = Viewer(settings: settings, clock: SimulatedClock(), log: .silent)
        try viewer.start()
        defer { viewer.stop() }
        let other = try #require(viewer.port)
        #expect(other != port && !Self.canListen(onLoopback6: other))
        #expect(viewer.invite()?.wholeMatch(of: /http:\/\/woodshed-[0-9a-f]{24}\.localhost:(\d+)\/.*/)?.1 == "\(other)")
    }

    /// A tablet's name for this machine may also have an IPv6 address, which browsers try first. So no other program may get the
    /// port there.
    @LoopActor @Test(.enabled(if: canListen(onLoopback6: 0), "needs IPv6"), arguments: ["127.0.0.2", "0.0.0.0"])
    func nobodyElseAnswersTheNetworkOnThePort(address: String) async throws {
        let network = ViewerSettings.Network(
            address: try #require(IPAddress(address)), names: ["laptop.local"], token: Secret("correct-horse+battery"))
        let viewer = Viewer(settings: ViewerSettings(port: 0, nameFolder: nil, network: network), clock: SimulatedClock(), log: .silent)
        try viewer.start()
        let port = try #require(viewer.port)
        #expect(!Self.canListen(on6: in6addr_any, port) && !Self.canListen(onLoopback6: port))
        #expect(try await Scene.send("GET", viewer.invite() ?? "").status == 303)
        viewer.stop()

        let squatter = try #require(Self.listener(on6: in6addr_any, port))
        defer { close(squatter) }
        let settings = ViewerSettings(port: port, nameFolder: nil, network: network)
        let failure = #expect(throws: Trouble.self) { try Viewer(settings: settings, clock: SimulatedClock(), log: .silent).start() }
        #expect(failure?.description == "the pages cannot be shown: another program uses port \(port) of ::")
    }

    private static func canListen(onLoopback6 port: UInt16) -> Bool { canListen(on6: in6addr_loopback, port) }

    private static func canListen(on6 address: in6_addr, _ port: UInt16) -> Bool {
        guard let number = listener(on6: address, port) else { return false }
        close(number)
        return true
    }

    private static func listener(onLoopback6 port: UInt16) -> Int32? { listener(on6: in6addr_loopback, port) }

    /// Listens on the port with every option by which a socket can share a port that is in use.
    private static func listener(on6 own: in6_addr, _ port: UInt16) -> Int32? {
        let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(number, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        // An IPv4 socket may have the same port already, so the listener takes the port for IPv6 only.
        setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = own
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
            settings: ViewerSettings(port: scene.port, nameFolder: nil),
            clock: scene.clock, log: .silent)
        let failure = #expect(throws: Trouble.self) { try second.start() }
        #expect(failure?.description.contains("port \(scene.port)") == true)
        #expect(second.invite() == nil && second.port == nil)
    }
}
