import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built agent, killed while polls, edits, marks and deletions overlap.
@Suite(.onLoop, .needs(.kill))
struct MixedKillTests {
    /// How many times the agent is killed: a few by default, WOODSHED_TEST_KILLS on demand.
    private static let kills = Asked.number("KILLS", everyday: 6)
    /// Decides the random events and when the agent is killed; WOODSHED_TEST_SEED chooses another one.
    private static let seed = UInt64(Asked.number("SEED", everyday: 7))
    /// After every so many kills, one run may finish.
    private static let wholeRuns = 4
    private static let settings = RenderSettings(fullSize: 96, thumbnailSize: 64)
    private static let environment = ["WOODSHED_RENDER_FULL_SIZE=96", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]

    @Test @LoopActor func theNextStartRepairsItselfAndReadyIsRight() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let clock = SystemClock()
        let check = try await OwnCheck(home: home.folder.path, settings: Self.settings)
        let begun = clock.now
        try await end(try await sleeping(home))
        let duration = min(clock.now - begun, .seconds(1))
        let load = try MixedLoad(home, truth: try await Stage.truth(at: demo), seed: Self.seed)
        try await wholeRun(home, check, load)

        var random = SeededGenerator(seed: Self.seed + 1)
        var (interrupted, unready) = (0, 0)
        for number in 1...Self.kills {
            let agent = try home.start(Self.environment)
            // The first run is killed in the middle of its work, however quick this machine is.
            let length = duration * Double.random(in: 0.02...(number == 1 ? 0.1 : 3), using: &random)
            // Now and then the agent has time to finish its work.
            let busy = Int.random(in: 0..<3, using: &random) == 0 ? length * 0.3 : length
            let start = clock.now
            while clock.now < start + busy {
                try load.act()
                try await clock.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &random)))
            }
            try await clock.sleep(for: length - busy)
            if try !agent.messagesSoFar().contains("asleep") { interrupted += 1 }
            agent.child.kill(SIGKILL)
            _ = await agent.child.exit()
            await load.quiet()
            #expect(load.files.changed() == [], "after kill \(number)")
            #expect(try home.contents().faults == [], "after kill \(number)")
            let faults = try await CacheFiles(folder: home.folder.path("cache")).faults()
            #expect(faults == [], "after kill \(number)")
            // `ready` reports on the present files, chart by chart.
            let answer = try await ready(home)
            let lacks = try check.lacks()
            #expect(answer.incomplete == Set(lacks.keys), "after kill \(number): \(answer.lacks) but \(lacks)")
            #expect(!answer.ready || lacks.isEmpty)
            if !answer.ready { unready += 1 }
            if number % Self.wholeRuns == 0 || number == Self.kills { try await wholeRun(home, check, load) }
        }
        #expect(interrupted > 0)
        print("mixed kills: \(Self.kills), \(interrupted) before it slept, \(unready) not ready after it; \(load.done)")

        // The images kept all along equal those of a new cache.
        let kept = try CacheFiles(folder: home.folder.path("cache")).images()
        TemporaryFolder.empty(home.folder.path("cache"))
        try await wholeRun(home, check, load)
        for (path, bytes) in try CacheFiles(folder: home.folder.path("cache")).images() {
            #expect(kept[path] == bytes, "\(path) was not what it is now")
        }
    }

    /// Lets the next run finish: it must have everything from the service and the musician, and no leftovers.
    @LoopActor
    private func wholeRun(_ home: AgentHome, _ check: OwnCheck, _ load: MixedLoad) async throws {
        try load.mendMarks()
        let agent = try await sleeping(home)
        try await waitUntil { try await ready(home).ready }
        try await end(agent)
        #expect(try check.lacks() == [:])
        let answer = try await ready(home)
        #expect(answer.ready && answer.young, "\(answer.lacks)")
        #expect(load.files.changed() == [])
        let (contents, faults) = try home.contents()
        let truth = try await Stage.truth(at: home.demo)
        // A plan that has only another title gets it within a day.
        #expect(contents?.untitled == truth.untitled)
        #expect(faults == [])
        #expect(try home.data.temporaryFiles() == [])
        #expect(try CacheFiles(folder: home.folder.path("cache")).temporaryFiles() == [])
    }

    @LoopActor
    private func sleeping(_ home: AgentHome) async throws -> Program {
        let agent = try home.start(Self.environment)
        try await AgentHome.untilAsleep(agent)
        return agent
    }

    @LoopActor
    private func end(_ agent: Program) async throws {
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(!result.messages.contains("error:"), "\(result.messages)")
    }

    @LoopActor
    private func ready(_ home: AgentHome) async throws -> ReadyAnswer {
        try ReadyAnswer(
            try await Program.run(
                "woodshed", ["ready", "--plan", "all", "--json", "--home", home.folder.path], environment: Self.environment))
    }
}
