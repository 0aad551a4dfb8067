import Agent
import CommandTestSupport
import Library
import Model
import PlanningCenter
import Platform
import Synchronization
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration
@testable import Host
@testable import Sync

/// What a running agent does after each poll.
@Suite(.onLoop)
struct AgentRoundsTests {
    private let session = Session()
    private let captured = CapturedOutput()

    /// Collects what is logged.
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])

        var log: Log { Log { _, line in self.all.withLock { $0.append(line) } } }
        func count(beginning text: String) -> Int { all.withLock { $0.count { $0.hasPrefix(text) } } }
    }

    @Test @LoopActor func onlyAPollWithNewsHasStockTaken() async throws {
        let lines = Lines()
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment, home: session.folder.path))
        let assembly = try AgentAssembly(
            configuration,
            account: Account(apiURL: "https://service.test", annotationsURL: nil, credentials: Secret("id:secret"), userAgent: "test"),
            context: CommandContext(output: captured.output, environment: session.environment), log: lines.log)
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
}
