import DemoService
import Glibc
import Library
import Platform
import StandInSupport
import TestSupport
import Testing

/// Commands that work while an agent runs, and commands that do not.
@Suite(.onLoop)
struct CacheBesideTests {
    @Test @LoopActor func secondAgentSaysWhoHoldsTheLock() async throws {
        let demo = try StandIn.start(load: DemoLoad(plans: 1, chartsPerPlan: 2))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        // A running agent carries out `sync` itself, but a second agent finds the lock held.
        for command in ["agent"] {
            let other = try await Program.run("woodshed", [command, "--home", home.folder.path], environment: AgentHome.environment)
            #expect(other.exit == .code(7), "\(other.messages)")
            #expect(other.messages.contains("process \(agent.child.pid)"), "\(other.messages)")
            #expect(other.messages.contains("is using this library"), "\(other.messages)")
        }

        // This home has its own library but the same cache: each agent would remove images that the other needs.
        let stranger = try AgentHome(demo)
        let arguments = ["--home", stranger.folder.path, "--folders-cache", home.folder.path("cache")]
        for command in ["agent", "sync"] {
            let other = try await Program.run("woodshed", [command] + arguments, environment: AgentHome.environment)
            #expect(other.exit == .code(7), "\(other.messages)")
            #expect(other.messages.contains("process \(agent.child.pid)"), "\(other.messages)")
            #expect(other.messages.contains("is using this page cache"), "\(other.messages)")
        }
        _ = try Library(folder: stranger.folder.path("data"))
        let clear = try await Program.run("woodshed", ["cache", "clear"] + arguments, environment: AgentHome.environment)
        #expect(clear.exit == .code(7), "\(clear.messages)")
        #expect(clear.messages.contains("is using this page cache"), "\(clear.messages)")
        #expect(try CacheFiles(folder: home.folder.path("cache")).images().count == 4)

        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
        let next = try await Program.run("woodshed", ["sync"] + arguments, environment: AgentHome.environment)
        #expect(next.exit == .code(0), "\(next.messages)")
    }

    @Test @LoopActor func readingCommandsWorkBesideARunningAgent() async throws {
        let demo = try StandIn.start(load: DemoLoad(plans: 1, chartsPerPlan: 2))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        for command in [["plans"], ["log"], ["why", "Song 1", "1", "-o", home.folder.path("page.png")], ["config", "show"]] {
            let result = try await Program.run("woodshed", command + ["--home", home.folder.path], environment: AgentHome.environment)
            #expect(result.exit == .code(0), "\(command): \(result.messages)")
            #expect(!result.output.isEmpty)
        }
        #expect(try PNGImage(AtomicFile.read(home.folder.path("page.png"), limit: 1 << 20)) != nil)
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0))
        #expect(!result.messages.contains("warning"), "\(result.messages)")
    }

    /// The agent detects removed images and draws them again, possibly before the check has ended. The check must not report these
    /// as images that could not be removed.
    @Test @LoopActor func whatTheAgentMakesAgainIsNotTakenForWhatWasBad() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let names = try cache.images().keys
        #expect(names.count > 60)
        for name in names { #expect(truncate(home.folder.path("cache/pages/" + name), 100) == 0) }
        let result = try await Program.run(
            "woodshed", ["cache", "verify", "--home", home.folder.path], environment: AgentHome.environment)
        #expect(result.exit == .code(3), "\(result.messages)")
        #expect(!result.output.contains("could not be removed"), "\(result.output)")
        #expect(result.output.contains("bad, removed"), "\(result.output)")
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }
}
