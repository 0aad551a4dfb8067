import Agent
import CommandTestSupport
import DemoService
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import StandInSupport
import Synchronization
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration
@testable import Host
@testable import Sync

/// A running agent's work after each poll.
@Suite(.onLoop)
struct AgentRoundsTests {
    private let session = Session()
    private let captured = CapturedOutput()

    /// Collects log lines.
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])

        var log: Log { Log { _, line in self.all.withLock { $0.append(line) } } }
        func count(beginning text: String) -> Int { all.withLock { $0.count { $0.hasPrefix(text) } } }
    }

    @LoopActor private func assembly(of api: String = "https://service.test", log: Log) throws -> AgentAssembly {
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment, home: session.folder.path))
        return try AgentAssembly(
            configuration, account: Account(apiURL: api, annotationsURL: nil, credentials: DemoService.token, userAgent: "test"),
            context: CommandContext(output: captured.output, environment: session.environment), log: log)
    }

    @Test @LoopActor func theFirstAgentChoosesTheMusicFolder() async throws {
        let lines = Lines()
        for folder in ["Musik", "Noten"] {
            let home = session.folder.path
            let environment = Session(["HOME": home, "XDG_MUSIC_DIR": home + "/" + folder, "XDG_RUNTIME_DIR": home]).environment
            let configuration = try Configuration.load(ConfigurationSources(environment: environment))
            let account = Account(
                apiURL: "https://service.test", annotationsURL: nil, credentials: DemoService.token, userAgent: "test")
            let assembly = try AgentAssembly(
                configuration, account: account, context: CommandContext(output: captured.output, environment: environment), log: lines.log)
            await assembly.stop()
            #expect(configuration.paths.music == home + "/Musik/Woodshed")
        }
        #expect(lines.count(beginning: "links to the charts are made in \(session.folder.path("Musik/Woodshed")), from now on;") == 1)
    }

    @Test @LoopActor func onlyAPollWithNewsHasStockTaken() async throws {
        let lines = Lines()
        let assembly = try assembly(log: lines.log)
        let rounds = AgentRounds(assembly, log: lines.log, clock: assembly.clock, ending: Ending(output: captured.output))
        let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: time, lastTime: time)
        let news = LibraryChange.planAdded(LibraryChange.PlanReference(plan))
        for (changes, stocks) in [([], 1), ([], 1), ([news], 2), ([], 2)] as [([LibraryChange], Int)] {
            var outcome = PollOutcome()
            outcome.changes = changes
            await rounds.finish(outcome)
            #expect(lines.count(beginning: "took stock") == stocks)
            #expect(lines.count(beginning: "0 upcoming plans, 0 charts") == stocks)
        }
        await assembly.stop()
    }

    /// A sync waits for the end of a pause, but most callers give up earlier. The agent then does the work, but reports it only for
    /// a caller that still waits.
    @Test @LoopActor func aSyncOfWhichTheCallerHasGoneIsNotReported() async throws {
        let service = try StandIn.start()
        defer { service.stop() }
        _ = try session.write(
            "account:\n  api_url: \(service.apiURL)\n  allow_http_loopback: true\nrender:\n  full_size: 200\n  thumbnail_size: 64\n",
            to: "config/woodshed.yaml")
        let lines = Lines()
        let assembly = try assembly(of: service.apiURL, log: lines.log)
        assembly.joinCommands()
        assembly.beginControl()
        let agent = assembly.agent
        // Remove all images, so that the agent still has work after the poll.
        agent.onNews { news in
            guard news == .polled else { return }
            agent.pause()
            for name in assembly.cache.present() { try? assembly.cache.remove(name) }
        }
        let client = try #require(ControlClient.find(runtime: assembly.runtime, library: assembly.data))
        let caller = spawn { try? await client.ask(.post, "/v1/sync") }
        try await waitUntil { agent.isPaused }
        caller.cancel()
        #expect(await caller.value == nil)
        // When the agent answers the next request, it has detected that the first caller is gone.
        let other = try #require(ControlClient.find(runtime: assembly.runtime, library: assembly.data))
        _ = try await other.ask(.get, "/v1/live")
        agent.onNews(nil)
        agent.resume()
        // A caller that repeats the request gets the only report.
        _ = try await other.ask(.post, "/v1/sync")
        #expect(lines.count(beginning: "took stock") == 1)
        #expect(try await agent.planTable().isComplete, "the work itself is done")
        await assembly.stop()
    }
}
