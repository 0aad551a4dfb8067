import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The home keeps its one device id, and thus its own marks, however slow the disk is and whenever the agent is killed.
@Suite(.onLoop)
struct SlowDiskTests {
    private static let strokes = Asked.number("STROKES", everyday: 60)
    /// The longest delay of a disk operation, in milliseconds; by default longer than the `settle` that is set below.
    private static let longest = Asked.number("LATE", everyday: 250)

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
