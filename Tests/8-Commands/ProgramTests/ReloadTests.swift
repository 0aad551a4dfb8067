import DemoService
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The configuration changes while an agent runs.
@Suite(.onLoop)
struct ReloadTests {
    private func configuration(_ service: String, _ home: TemporaryFolder, more: String = "") throws {
        try Folder.create(home.path("config"))
        try AtomicFile.write(
            """
            account:
              api_url: \(service)
              allow_http_loopback: true
              token_file: \(home.path("token"))
            \(more)
            """, to: home.path("config/woodshed.yaml"))
    }

    @Test @LoopActor func browsersAreListedAndSignedOutAtTheTerminal() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home.path("token"))
        try AtomicFile.write("correct-horse+battery\n", to: home.path("viewer"))
        try configuration(
            service.apiURL, home,
            more: "viewer:\n  listen: 0.0.0.0\n  names: [127.0.0.2]\n  token_file: \(home.path("viewer"))\nrender:\n  full_size: 200")
        let agent = try Program(
            "woodshed", ["agent", "--home", home.path], environment: ["LD_PRELOAD=\(Program.folder)/libelsewhere.so"])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let opened = try await Program.run("woodshed", ["open", "--home", home.path])
        let port = try #require(opened.output.firstMatch(of: /localhost:(\d+)/)?.1)
        let site = "http://127.0.0.2:\(port)"
        func signIn(_ token: String) throws -> HTTPProbe.Reply {
            try HTTPProbe.send(
                "POST", site + "/", headers: [("Origin", site), ("User-Agent", "Firefox/1")], body: Array("token=\(token)".utf8))
        }
        let reply = try signIn("correct-horse+battery")
        let headers = [
            ("Cookie", String(try #require(reply.headers["set-cookie"]).prefix { $0 != ";" })),
            ("X-Woodshed-Token", String(try #require(reply.headers["location"]).dropFirst("/#token=".count))),
        ]
        func status() -> Int? { try? HTTPProbe.send("GET", site + "/api/state", headers: headers).status }
        #expect(status() == 200)
        let listed = try await Program.run("woodshed", ["open", "--list", "--home", home.path])
        #expect(listed.output.wholeMatch(of: /[0-9a-f]{8}  Firefox, since .*\n/) != nil, "\(listed.output)\(listed.messages)")
        let wrong = try await Program.run("woodshed", ["open", "--end", "nobody", "--home", home.path])
        #expect(wrong.exit == .code(1) && wrong.messages.contains("--list' lists those"), "\(wrong.messages)")

        let id = String(try await Program.run("woodshed", ["open", "--list", "--home", home.path]).output.prefix { $0 != " " })
        #expect(try await Program.run("woodshed", ["open", "--end", id, "--home", home.path]).exit == .code(0))
        #expect(status() == 403)
        #expect(try await Program.run("woodshed", ["open", "--list", "--home", home.path]).output == "")
        agent.child.kill(SIGTERM)
        _ = try await agent.result()
    }

    @Test @LoopActor func aSavedConfigurationIsUsedAndAFaultyOneChangesNothing() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home.path("token"))
        try configuration(service.apiURL, home, more: "render:\n  full_size: 500")
        let agent = try Program("woodshed", ["agent", "--home", home.path])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        try await waitUntil { try said("asleep") == 1 }

        try configuration(service.apiURL, home, more: "render:\n  full_size: much")
        try await waitUntil { try said("keeps its previous configuration") == 1 }
        let messages = try agent.messagesSoFar()
        #expect(messages.contains("woodshed.yaml:6"), "\(messages)")
        #expect(try said("reloading") == 0)

        // A save that changes no option is no reason to reload. The next save is; the count of reloads then shows that the agent
        // ignored the first.
        try configuration(service.apiURL, home, more: "render:\n  full_size: 500\n# a remark")
        try configuration(service.apiURL, home, more: "render:\n  full_size: 400")
        try await waitUntil { try said("asleep") == 2 }
        #expect(try said("reloading") == 1)

        agent.child.kill(SIGHUP)
        try await waitUntil { try said("asleep") == 3 }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    /// A laptop is switched on again after somebody made a mistake in the configuration.
    @Test @LoopActor func anAgentStartsAfterAMistakeWithWhatTheFilesSaidBefore() async throws {
        let place = try Place()
        let file = place.home.path("config/woodshed.yaml")
        let good = String(decoding: try AtomicFile.read(file, limit: 1 << 16), as: UTF8.self)
        func mistake() throws { try AtomicFile.write(good + "\ncharts:\n  inclde: ['*']\n", to: file) }
        #expect(try await place.run("sync").exit == .code(0))
        #expect(unlink(place.home.path("data/kept-configuration.yaml")) == 0)
        try mistake()
        #expect(try await place.run("agent").exit == .code(4), "nothing is kept")
        let unopened = try await place.run("open")
        let words = "none starts before this mistake is mended"
        #expect(unopened.exit == .code(4) && unopened.messages.contains(words), "\(unopened.messages)")
        try AtomicFile.write(good, to: file)
        #expect(try await place.run("sync").exit == .code(0))

        try mistake()
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        try await waitUntil { try said("asleep") == 1 && said("keeps its previous configuration") == 1 }
        let messages = try agent.messagesSoFar()
        #expect(try said("inclde") == 1, "\(messages)")
        let opened = try await place.run("open")
        #expect(opened.exit == .code(0), "\(opened.messages)")
        #expect(try await place.run("status").output.contains("inclde"))
        try AtomicFile.write(good.replacing("full_size: 200", with: "full_size: 300"), to: file)
        try await waitUntil { try said("reloading") == 1 && said("asleep") == 2 }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @Test @LoopActor func whatWasBegunOutlivesABeginningAnew() async throws {
        let place = try Place()
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        try await waitUntil { try said("asleep") == 1 }
        let address = try await place.run("open").output
        let port = try #require(address.firstMatch(of: /localhost:(\d+)/)?.1)
        func get(_ path: String, cookie: String = "") async throws -> HTTPProbe.Reply {
            let url = "http://127.0.0.1:\(port)\(path)"
            return try await SideThread().run { try HTTPProbe.send("GET", url, headers: [("Cookie", cookie)]) }
        }
        let open = try #require(address.firstRange(of: "/open"))
        let reply = try await get(String(address[open.lowerBound...].prefix { $0 != "\n" }))
        let cookie = String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })
        #expect(try await get("/api/state", cookie: cookie).status == 200)
        #expect(try await place.run("pause", "--for", "2h").exit == .code(0))

        // A signed-in browser stays signed in, for the agent never gave up the port; and a pause continues.
        agent.child.kill(SIGHUP)
        try await waitUntil { try said("reloading") == 1 }
        let state = try await get("/api/state", cookie: cookie)
        #expect(state.status == 200 && state.text.contains("\"paused\":true"), "\(state.text)")
        let status = try await place.run("status").output
        #expect(status.contains("Paused") && status.contains("until") && !status.contains("until you resume it"), "\(status)")

        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @Test @LoopActor func aConfigurationThatCannotBeCarriedOutIsNoReasonToEnd() async throws {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home.path("token"))
        func folders(cache: String) -> String {
            "folders:\n  cache: \(cache)\n" + ["data", "runtime", "music"].map { "  \($0): \(home.path($0))\n" }.joined()
        }
        try configuration(service.apiURL, home, more: folders(cache: home.path("cache")))
        let agent = try Program(
            "woodshed", ["agent", "--config", home.path("config/woodshed.yaml")], environment: ["WOODSHED_ETC=" + home.path("etc")])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        try await waitUntil { try said("asleep") == 1 }
        try configuration(service.apiURL, home, more: folders(cache: "/proc/nothing/cache"))
        try await waitUntil { try said("keeps its previous configuration") == 1 && said("asleep") == 2 }
        #expect(try agent.messagesSoFar().contains("/proc/nothing"))
        // The corrected file is used.
        try configuration(service.apiURL, home, more: folders(cache: home.path("other")))
        try await waitUntil { try said("asleep") == 3 }
        // The settings for the whole machine are followed in the same way, though their folder is made only now.
        try Folder.create(home.path("etc"))
        try AtomicFile.write("render:\n  full_size: 300\n", to: home.path("etc/woodshed.yaml"))
        try await waitUntil { try said("asleep") == 4 }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @Test @LoopActor func aTabletComesInWithTheTokenThatHoldsNow() async throws {
        let place = try Place()
        let tokens = ["geheim-geheim-one", "geheim-geheim-two"]
        try AtomicFile.write(tokens[0] + "\n", to: place.home.path("viewer"))
        // This agent treats a client at 127.0.0.2 as a browser on another machine.
        let agent = try Program(
            "woodshed", ["agent", "--home", place.home.path],
            environment: [
                "WOODSHED_VIEWER_PORT=0", "WOODSHED_VIEWER_LISTEN=0.0.0.0", "WOODSHED_VIEWER_NAMES=127.0.0.2",
                "WOODSHED_VIEWER_TOKEN_FILE=" + place.home.path("viewer"), "LD_PRELOAD=\(Program.folder)/libelsewhere.so",
            ])
        func said(_ text: String) throws -> Int { try agent.messagesSoFar().components(separatedBy: text) - 1 }
        func tablet() async throws -> String {
            let port = try await #require(place.run("open").output.firstMatch(of: /localhost:(\d+)/)?.1)
            return "http://127.0.0.2:\(port)"
        }
        func ask(_ method: String, _ url: String, _ headers: [(String, String)], _ body: String = "") async throws -> HTTPProbe.Reply {
            try await SideThread().run { try HTTPProbe.send(method, url, headers: headers, body: Array(body.utf8)) }
        }
        var cookies: [(cookie: String, token: String)] = []
        for (number, token) in tokens.enumerated() {
            try AtomicFile.write(token + "\n", to: place.home.path("viewer"))
            // The agent reads a new token and goes on without a restart.
            try await waitUntil { try said("asleep") == 1 && said("the token for browsers on the network is another one") == number }
            let url = try await tablet()
            for (each, status) in zip(tokens, number == 0 ? [303, 403] : [403, 303]) {
                let reply = try await ask("POST", url + "/", [("Origin", url)], "token=\(each)\r\n")
                #expect(reply.status == status)
                guard let cookie = reply.headers["set-cookie"], let place = reply.headers["location"] else { continue }
                cookies.append((String(cookie.drop { $0 != "=" }.prefix { $0 != ";" }), String(place.drop { $0 != "=" }.dropFirst())))
            }
            // Browsers with the former token must sign in again.
            let port = url.split(separator: ":").last ?? ""
            for (cookie, token) in cookies {
                let headers = [("Cookie", "woodshed-\(port)" + cookie), ("X-Woodshed-Token", token)]
                let reply = try await ask("GET", url + "/api/state", headers)
                #expect(reply.status == (token == cookies.last?.token ? 200 : 403))
            }
        }
        #expect(cookies.count == 2)
        // No event reports that others can now read the file, but the agent admits nobody with that token all the same.
        #expect(chmod(place.home.path("viewer"), 0o644) == 0)
        let url = try await tablet()
        #expect(try await ask("POST", url + "/", [("Origin", url)], "token=\(tokens[1])\r\n").status == 503)
        try await waitUntil { try said("nobody on the network can sign in") == 1 }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(
            !(cookies.map { $0.cookie.dropFirst() } + tokens.map { $0[...] }).contains { (result.output + result.messages).contains($0) })
    }

    /// Retries alone would use the new token only after a minute, or even later, because they come ever more rarely.
    @Test @LoopActor func aTokenThatIsPutRightIsUsedAtOnce() async throws {
        let place = try Place()
        #expect(try await place.run("sync", "--plan", "next").exit == .code(0))
        try AtomicFile.write("woodshed-demo:former\n", to: place.home.path("token"))
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        #expect(try !agent.messagesSoFar().contains("answers again"))
        let clock = SystemClock()
        let written = clock.now
        try AtomicFile.write(DemoService.token.revealed + "\n", to: place.home.path("token"))
        try await waitUntil { try agent.messagesSoFar().contains("the service answers again") }
        #expect(clock.now - written < .seconds(40))
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    @Test @LoopActor func aPortThatWasTakenIsSaidAndTriedAgain() async throws {
        let place = try Place()
        let other = try StandIn.start()
        let port = try #require(other.apiURL.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.1)
        let agent = try Program("woodshed", ["agent", "--home", place.home.path], environment: ["WOODSHED_VIEWER_PORT=\(port)"])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let status = try await place.run("status").output
        #expect(status.contains("port \(port)"), "\(status)")
        #expect(try await place.run("open").exit == .code(1))
        other.stop()
        let opened = try await place.run("open")
        #expect(opened.exit == .code(0) && opened.output.contains(":\(port)/open"), "\(opened.messages)")
        #expect(try await !place.run("status").output.contains("port \(port)"))
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
    }
}

extension String {
    /// The number of parts into which the occurrences of `text` divide this text.
    fileprivate func components(separatedBy text: String) -> Int {
        var count = 1
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
