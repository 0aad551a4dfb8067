import FoundationEssentials
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// The promises of `woodshed demo --once --json`, as built. The tests run one by one, since they share the machine's time.
@Suite(.onLoop, .serialized)
struct DemoTests {
    private struct Summary: Decodable {
        let plans: Int, charts: Int, pages: Int, images: Int, rendered: Int, failed: Int, seconds: Double
    }

    @LoopActor
    private func demo(_ home: String) async throws -> (Program.Result, Summary) {
        let result = try await Program.run("woodshed", ["demo", "--once", "--json", "--home", home])
        return (result, try JSONDecoder().decode(Summary.self, from: Data(result.output.utf8)))
    }

    /// Every file of the cache and every chart of the library, with its content; `identity` adds the time and the inode's number.
    private func contents(_ home: String, identity: Bool) throws -> [String: String] {
        var found: [String: String] = [:]
        func walk(_ folder: String) throws {
            for name in try Folder.names(in: folder) {
                let path = folder + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    try walk(path)
                } else {
                    let key = String(path.dropFirst(home.count))
                    found[key] = SHA256.digest(of: try AtomicFile.read(path, limit: 1 << 28)).hex
                    if identity { found[key]? += " \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)" }
                }
            }
        }
        try walk(home + "/cache")
        try walk(home + "/data/charts")
        return found
    }

    @Test @LoopActor func firstRunMakesEveryImageAndTheSecondDoesNothing() async throws {
        let home = TemporaryFolder()
        let (first, made) = try await demo(home.path)
        #expect(first.exit == .code(0), "\(first.messages)")
        #expect(made.failed == 0)
        #expect(made.images > 60)
        #expect(made.rendered == made.images)
        #expect(made.plans == 3)
        #expect(!first.messages.contains("http://"), "nobody is there to look at it")
        let before = try contents(home.path, identity: true)
        #expect(before.keys.count { $0.hasSuffix(".png") } == made.images)
        // A demo makes the links that people open, as any agent does.
        let music = home.path("music")
        let links = try Folder.names(in: music).flatMap { plan in try Folder.names(in: music + "/" + plan).map { "\(music)/\(plan)/\($0)" }
        }
        #expect(links.count > 15)
        for link in links { #expect(try AtomicFile.read(link, limit: 1 << 26).starts(with: Array("%PDF".utf8))) }

        let (second, again) = try await demo(home.path)
        #expect(second.exit == .code(0), "\(second.messages)")
        #expect(again.rendered == 0)
        #expect(again.failed == 0)
        #expect(again.images == made.images)
        #expect(try contents(home.path, identity: true) == before)
        #expect(second.cpuSeconds < 1)
    }

    @Test @LoopActor func whatItOffersToCopyWorks() async throws {
        let home = TemporaryFolder()
        let result = try await Program.run(
            "woodshed", ["demo", "--once", "--home", home.path], environment: ["WOODSHED_RENDER_FULL_SIZE=200"])
        let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("Look at a page:") })
        let copied = try #require(line.split(separator: ":", maxSplits: 1).last).drop { $0 == " " }
        let shown = try await Program.run("/bin/sh", ["-c", "cd '\(home.path)' && \(copied)"])
        #expect(shown.exit == .code(0), "\(copied): \(shown)")
        #expect(try AtomicFile.read(home.path("page.png"), limit: 1 << 26).count > 1000)
    }

    @Test @LoopActor func pagesHaveTheConfiguredLongSide() async throws {
        let home = TemporaryFolder()
        let result = try await Program.run(
            "woodshed", ["demo", "--once", "--json", "--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=1000", "WOODSHED_RENDER_THUMBNAIL_SIZE=123"])
        #expect(result.exit == .code(0), "\(result.messages)")
        var seen: Set<Variant> = []
        for folder in try Folder.names(in: home.path + "/cache/pages") {
            for file in try Folder.names(in: home.path + "/cache/pages/" + folder) {
                let name = try #require(ImageName(folder: folder, file: file), "\(file) is no image of ours")
                let image = try #require(PNGImage(AtomicFile.read("\(home.path)/cache/pages/\(folder)/\(file)", limit: 1 << 26)))
                #expect(max(image.width, image.height) == (name.variant == .thumbnail ? 123 : 1000), "\(name)")
                seen.insert(name.variant)
            }
        }
        #expect(seen == Set(Variant.allCases))
    }

    private func pngCount(_ home: String) throws -> Int {
        guard let folders = try? Folder.names(in: home + "/cache/pages") else { return 0 }
        return try folders.reduce(0) { count, folder in
            try count + Folder.names(in: home + "/cache/pages/" + folder).count { $0.hasSuffix(".png") }
        }
    }

    /// The number of kills: a few by default, or WOODSHED_TEST_KILLS.
    private static let kills = Asked.number("KILLS", everyday: 6)

    @Test(.needs(.kill)) @LoopActor func killedAtAnyMomentItEndsInTheSameState() async throws {
        let undisturbed = TemporaryFolder()
        _ = try await demo(undisturbed.path)
        let expected = try contents(undisturbed.path, identity: false)

        let images = expected.keys.count { $0.hasSuffix(".png") }
        let home = TemporaryFolder()
        // Each kill comes a little later in the work.
        for kill in 0..<Self.kills {
            let program = try Program("woodshed", ["demo", "--once", "--home", home.path])
            // Leave the last quarter of the work, so the program cannot finish before the kill.
            let wanted = images * 3 * kill / (4 * Self.kills)
            // A separate process counts the images: other tests may hold up this process's loop until all are made.
            let count = "$(find '\(home.path)/cache/pages' -name '*.png' | wc -l)"
            let kills = "until [ \(count) -ge \(wanted) ]; do :; done; kill -9 \(program.child.pid)"
            #expect(try await Program.run("/usr/bin/timeout", ["100", "sh", "-c", kills]).exit == .code(0))
            #expect(await program.child.exit() == .signal(SIGKILL))
        }
        #expect(try pngCount(home.path) < images, "every kill fell into the work")
        let (last, summary) = try await demo(home.path)

        #expect(last.exit == .code(0), "\(last.messages)")
        #expect(summary.failed == 0)
        let found = try contents(home.path, identity: false)
        // Expect the list of differences to be empty, since a failure message with both sets in full would be too long to read.
        #expect(Set(found.keys).symmetricDifference(expected.keys).sorted() == [])
        #expect(expected.keys.filter { found[$0] != expected[$0] } == [])
    }

    /// A renderer outlives its killed agent for a moment, and keeps its unfinished file open until then.
    @Test @LoopActor func whatARendererHeldForAMomentIsGoneAtTheEnd() async throws {
        let home = TemporaryFolder()
        let unfinished = ["cache", "data/charts", "data"].map { home.path + "/" + $0 + "/.tmp-1-1" }
        var held: [Int32] = []
        for path in unfinished {
            try Folder.create(Folder.parent(of: path))
            try AtomicFile.write("unfinished", to: path)
            held.append(open(path, O_RDONLY | O_CLOEXEC))
            flock(held[held.count - 1], LOCK_EX)
        }
        let demo = try Program("woodshed", ["demo", "--home", home.path], environment: ["WOODSHED_RENDER_FULL_SIZE=200"])
        try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C") }
        for path in unfinished { #expect(access(path, F_OK) == 0, "somebody is writing to it") }
        for number in held { close(number) }
        demo.child.kill(SIGINT)
        #expect(try await demo.result().exit == .code(0))
        for path in unfinished { #expect(access(path, F_OK) != 0, "\(path)") }
    }

    /// The host in the first address of a text, and the same address at 127.0.0.1.
    private func address(_ text: String) throws -> (host: String, probe: String) {
        let address = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }).dropFirst(7)
        let host = try #require(address.split(separator: "/").first)
        let port = try #require(host.split(separator: ":").last)
        return (String(host), "http://127.0.0.1:\(port)" + address.dropFirst(host.count))
    }

    @Test @LoopActor func stayingDemoShowsItsPagesToABrowser() async throws {
        let home = TemporaryFolder()
        let small = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]
        let stays = try Program("woodshed", ["demo", "--home", home.path], environment: small)
        try await waitUntil { try stays.messagesSoFar().contains("Ctrl-C") }
        let first = try address(try stays.messagesSoFar())
        let another = try await Program.run("woodshed", ["open", "--home", home.path])
        #expect(another.exit == .code(0), "\(another.messages)")
        for (host, invitation) in [first, try address(another.output)] {
            #expect(host == first.host && host.contains(".localhost:"))
            let entry = try HTTPProbe.send("GET", invitation, headers: [("Host", host)])
            #expect(entry.status == 303)
            let cookie = try #require(entry.headers["set-cookie"]?.split(separator: ";").first)
            let shell = "http://127.0.0.1:" + (host.split(separator: ":").last ?? "") + "/api/state"
            let state = try HTTPProbe.send("GET", shell, headers: [("Host", host), ("Cookie", String(cookie))])
            #expect(state.status == 200 && state.text.contains("Songs of the House"))
            #expect(try HTTPProbe.send("GET", shell, headers: [("Host", host)]).status == 403, "nobody else is let in")
        }
        let status = try await Program.run("woodshed", ["status", "--home", home.path], environment: small)
        #expect(status.output.contains("running since") && !status.output.contains("Needs attention"), "\(status.output)")
        stays.child.kill(SIGINT)
        #expect(try await stays.result().exit == .code(0))
    }

    @Test @LoopActor func aTokenThatIsWrittenAnewHoldsInARunningDemo() async throws {
        let home = TemporaryFolder()
        let file = home.path("viewer")
        func write(_ token: String) throws { try AtomicFile.write(token + "\n", to: file, mode: 0o600) }
        try write("geheim-geheim-one")
        // This demo treats a client at 127.0.0.2 as a browser on another machine.
        let demo = try Program(
            "woodshed", ["demo", "--home", home.path],
            environment: [
                "WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "WOODSHED_VIEWER_LISTEN=0.0.0.0",
                "WOODSHED_VIEWER_PORT=",
                "WOODSHED_VIEWER_NAMES=127.0.0.2", "WOODSHED_VIEWER_TOKEN_FILE=\(file)", "LD_PRELOAD=\(Program.folder)/libelsewhere.so",
            ])
        try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C") }
        let port = try #require(try address(try demo.messagesSoFar()).host.split(separator: ":").last)
        let site = "http://127.0.0.2:\(port)"
        func status(_ token: String) async throws -> Int {
            try await SideThread().run {
                try HTTPProbe.send("POST", site + "/", headers: [("Origin", site)], body: Array("token=\(token)".utf8)).status
            }
        }
        #expect(try await status("geheim-geheim-one") == 303)
        try write("geheim-geheim-two")
        try await waitUntil { try demo.messagesSoFar().contains("the token for browsers on the network is another one") }
        #expect(try await status("geheim-geheim-one") == 403)
        #expect(try await status("geheim-geheim-two") == 303)
        unlink(file)
        try await waitUntil { try demo.messagesSoFar().contains("nobody on the network can sign in") }
        #expect(try await status("geheim-geheim-two") == 503)
        demo.child.kill(SIGINT)
        #expect(try await demo.result().exit == .code(0))
    }

    /// The stand-in starts from the same state each time, so its marks are older than those that an earlier demo stored. The demo
    /// reports that, and still succeeds.
    @Test @LoopActor func aDemoThatWasEditedIsShownAgain() async throws {
        let home = TemporaryFolder()
        let small = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]
        for edits in [1, 0] {
            let demo = try Program("woodshed", ["demo", "--home", home.path], environment: small)
            try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C") }
            if edits > 0 {
                let edit = ["demo", "edit", "add-mark", "riverside-lead-117", "1", "--home", home.path]
                #expect(try await Program.run("woodshed", edit, environment: small).exit == .code(0))
                try await waitUntil { try demo.messagesSoFar().contains("Synced") }
            }
            demo.child.kill(SIGINT)
            let result = try await demo.result()
            #expect(result.exit == .code(0))
            #expect(result.messages.contains("revision 2 is already here") == (edits == 0), "\(result.messages)")
        }
    }

    /// Bookmarks and a tablet's home screen contain the port in their addresses.
    @Test @LoopActor func aDemoInTheSameHomeIsWhereItWas() async throws {
        let home = TemporaryFolder()
        // In a person's shell, no port is set.
        let shell = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "WOODSHED_VIEWER_PORT="]
        func host(_ messages: String) throws -> String { try address(messages).host }
        var hosts: [String] = []
        var squatter: Int32 = -1
        for _ in 1...3 {
            let demo = try Program("woodshed", ["demo", "--home", home.path], environment: shell)
            try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C") }
            hosts.append(try host(try demo.messagesSoFar()))
            demo.child.kill(SIGINT)
            let result = try await demo.result()
            #expect(result.exit == .code(0))
            let port = try #require(hosts.last?.split(separator: ":").last.flatMap { UInt16($0) })
            if hosts.count == 2 { squatter = try #require(Self.listener(on: port)) }
            #expect(result.messages.contains("has port \(hosts[0].split(separator: ":")[1]), where the pages were") == (hosts.count == 3))
        }
        close(squatter)
        #expect(hosts[0] == hosts[1], "the same address")
        #expect(hosts[2].split(separator: ":")[1] != hosts[1].split(separator: ":")[1])
    }

    /// Opens a port of 127.0.0.1 as another program would; `nil` if the port is taken.
    private static func listener(on port: UInt16) -> Int32? {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        if code == 0, listen(number, 1) == 0 { return number }
        close(number)
        return nil
    }

    @Test @LoopActor func secondDemoOnOneHomeSaysWhoHoldsTheLock() async throws {
        let home = TemporaryFolder()
        let first = try Program("woodshed", ["demo", "--home", home.path])
        try await waitUntil { try first.messagesSoFar().contains("Ctrl-C") }
        let second = try await Program.run("woodshed", ["demo", "--once", "--home", home.path])
        #expect(second.exit == .code(7))
        #expect(second.messages.contains("process \(first.child.pid)"), "\(second.messages)")
        first.child.kill(SIGINT)
        #expect(try await first.result().exit == .code(0))
    }
}
