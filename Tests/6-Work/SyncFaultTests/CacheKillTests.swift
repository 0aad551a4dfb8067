import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program, killed while it writes and trims images.
@Suite(.onLoop, .needs(.kill))
struct CacheKillTests {
    /// How many times the program is killed: a few by default, WOODSHED_TEST_KILLS on demand.
    private static let kills = Asked.number("KILLS", everyday: 8)
    /// After every so many kills, one run may finish.
    private static let wholeRuns = 8
    private static let limit = 1_500_000

    @Test @LoopActor func killedAtAnyMomentItLeavesOnlyWholeImages() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let clock = SystemClock()
        var random = SeededGenerator(seed: 5)

        try await wholeRun(home, cache, 0)
        var (interrupted, writing) = (0, 0)
        for number in 1...Self.kills {
            // Each run has another page size: all images are made again, in the space of the former ones. The kill waits for a
            // number of new images; a time would depend on how busy the machine is.
            let former = Set(try cache.paths())
            let moment = Int.random(in: 0...former.count, using: &random)
            let agent = try home.start(Self.environment(number))
            func hasGoneToSleep() throws -> Bool { try agent.messagesSoFar().contains("asleep") }
            try await waitUntil { try hasGoneToSleep() || Set(cache.paths()).subtracting(former).count >= moment }
            try await clock.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
            let isAsleep = try hasGoneToSleep()
            agent.child.kill(SIGKILL)
            _ = await agent.child.exit()
            if !isAsleep { interrupted += 1 }
            let faults = try await cache.faults()
            #expect(faults == [])
            if try !cache.temporaryFiles().isEmpty { writing += 1 }
            if number % Self.wholeRuns == 0 || number == Self.kills { try await wholeRun(home, cache, number) }
        }
        #expect(interrupted > 0)
        print("cache kills: \(Self.kills), \(interrupted) before it slept, \(writing) with images on their way")
    }

    /// Runs the agent to its end: the limits must hold, and no unfinished file is left.
    @LoopActor
    private func wholeRun(_ home: AgentHome, _ cache: CacheFiles, _ number: Int) async throws {
        let agent = try home.start(Self.environment(number))
        try await AgentHome.untilAsleep(agent)
        #expect(try await cache.bytes() <= Self.limit)
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(!result.messages.contains("error:"), "\(result.messages)")
        #expect(try cache.temporaryFiles() == [])
        let faults = try await cache.faults()
        #expect(faults == [])
        #expect(try cache.images().count > 10)
    }

    private static func environment(_ number: Int) -> [String] {
        [
            "WOODSHED_RENDER_FULL_SIZE=\(600 + number % 7)", "WOODSHED_RENDER_THUMBNAIL_SIZE=\(64 + number % 5)",
            "WOODSHED_CACHE_LIMIT=\(limit / 1000)kB",
        ]
    }
}
