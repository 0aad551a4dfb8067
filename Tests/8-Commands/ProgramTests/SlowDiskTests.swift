import Glibc
import JSON
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// What is drawn is this home's own, however late the disk is, and wherever the agent was killed: nobody becomes somebody else by that.
@Suite(.onLoop)
struct SlowDiskTests {
    private static let strokes = Asked.number("STROKES", everyday: 60)
    /// By default more than marks have time to come to rest.
    private static let longest = Asked.number("LATE", everyday: 250)

    /// A browser at an agent that draws one stroke after the other.
    private struct Pen {
        let site: String
        let headers: [(String, String)]
        let charts: [String]

        /// Waits until the agent lets it in; `nil` if the agent ended first.
        @LoopActor
        init?(_ place: Place, at agent: Program) async throws {
            while try await place.run("open").exit != .code(0) {
                guard agent.isRunning else { return nil }
            }
            let opened = try await place.run("open").output
            guard let address = opened.firstMatch(of: /(http:\/\/[^\/]+:\d+)(\/open\?\S+)/) else { return nil }
            let site = String(address.1)
            self.site = site
            let invited = try await Pen.ask("GET", site + address.2)
            let cookie = ("Cookie", (invited.headers["set-cookie"] ?? "").prefix { $0 != ";" }.description)
            let page = try await Pen.ask("GET", site + "/", [cookie])
            guard let token = page.text.firstMatch(of: /name="woodshed-token" content="([^"]*)/)?.1 else { return nil }
            headers = [cookie, ("Origin", site), ("X-Woodshed-Token", String(token)), ("Content-Type", "application/json")]
            struct State: Decodable { let plans: [Plan] }
            struct Plan: Decodable { let id: String }
            struct Contents: Decodable { let items: [Item] }
            struct Item: Decodable { let charts: [Plan] }
            let plan = try JSONReader.decode(State.self, from: try await Pen.ask("GET", site + "/api/state", [cookie]).body).plans[0].id
            let contents = try JSONReader.decode(Contents.self, from: try await Pen.ask("GET", site + "/api/plan/\(plan)", [cookie]).body)
            charts = contents.items.flatMap { $0.charts.map(\.id) }
        }

        /// Returns whether the stroke was kept.
        func draw(_ number: Int) async throws -> Bool {
            let chart = charts[number % 3]
            let mark = #"{"id":"m\#(number)","page":0,"kind":"pen","points":[[0.\#(number % 9 + 1),0.5]],"v":{"browser":\#(number)}}"#
            return try await Pen.ask("POST", "\(site)/api/charts/\(chart)/ink", headers, #"{"marks":[\#(mark)]}"#).status == 200
        }

        func marks(on chart: String) async throws -> Set<String> {
            struct Answer: Decodable { let marks: [Mark] }
            struct Mark: Decodable { let id: String }
            let reply = try await Pen.ask("GET", "\(site)/api/charts/\(chart)/ink", headers)
            return Set(try JSONReader.decode(Answer.self, from: reply.body).marks.map(\.id))
        }

        private static func ask(
            _ method: String, _ url: String, _ headers: [(String, String)] = [], _ body: String = ""
        ) async throws -> HTTPProbe.Reply {
            try await SideThread().run {
                // Whatever it is called, it is this machine.
                let host = String(url.dropFirst("http://".count).prefix { $0 != "/" })
                let port = host.split(separator: ":").last ?? ""
                return try HTTPProbe.send(
                    method, "http://127.0.0.1:\(port)" + url.dropFirst("http://".count + host.count), headers: headers + [("Host", host)],
                    body: Array(body.utf8))
            }
        }
    }

    @Test(.needs(.kill), arguments: Asked.seeds(everyday: 1))
    @LoopActor func aSlowDiskAndKillsMakeNobodySomebodyElse(seed: UInt64) async throws {
        let place = try Place()
        defer { place.service.stop() }
        let settings = String(decoding: try AtomicFile.read(place.home.path("config/woodshed.yaml"), limit: 10_000), as: UTF8.self)
        try AtomicFile.write(settings + "\nannotations:\n  settle: 20\n", to: place.home.path("config/woodshed.yaml"))
        #expect(try await place.run("sync").exit == .code(0))
        var random = SeededGenerator(seed: seed)
        var (drawn, kept, lives, kills) = (0, Set<Int>(), 0, 0)
        var said = ""
        while drawn < Self.strokes {
            lives += 1
            try #require(lives < 20 * Self.strokes, "it does not get on")
            let deadly = Int.random(in: 1...60, using: &random)
            let agent = try Program(
                "woodshed", ["agent", "--home", place.home.path],
                environment: [
                    "LD_PRELOAD=\(Program.folder)/liblatedisk.so",
                    "WOODSHED_LATE_DISK=\(seed &* 1000 &+ UInt64(lives)),\(Self.longest),\(lives % 6 == 0 ? 0 : deadly)",
                ])
            if let pen = try? await Pen(place, at: agent) {
                for _ in 0..<20 where drawn < Self.strokes {
                    drawn += 1
                    guard let isKept = try? await pen.draw(drawn) else { break }
                    if isKept { kept.insert(drawn) }
                }
            }
            agent.child.kill(SIGTERM)
            let result = try await agent.result()
            if result.exit == .signal(SIGKILL) { kills += 1 }
            said += result.messages
        }
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let pen = try #require(try await Pen(place, at: agent))
        var found: Set<String> = []
        for chart in pen.charts.prefix(3) { found.formUnion(try await pen.marks(on: chart)) }
        agent.child.kill(SIGTERM)
        said += try await agent.result().messages
        #expect(found.isSuperset(of: kept.map { "m\($0)" }) && kept.count > Self.strokes / 2, "\(kept.count) strokes, \(kills) kills")
        #expect(kills > 0)
        let lines = String(decoding: try AtomicFile.read(place.home.path("data/home-id"), limit: 100_000), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.dropFirst(2).count { $0.count == 16 } == 1, "one id: \(lines)")
        let files = try Folder.names(in: place.home.path("data/annotations")).filter { !$0.hasPrefix(".") }
        #expect(files.count == 3, "one part a chart: \(files)")
        #expect(!said.contains("a copy of this home"), "\(said)")
        print("\(drawn) strokes, \(kept.count) kept, \(lives) lives, \(kills) kills")
    }
}
