import Agent
import CommandTestSupport
import DemoService
import Glibc
import Library
import Model
import PlanningCenter
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Catalogue
@testable import CommandLine
@testable import Commands
@testable import Configuration
@testable import Host

/// An agent whose catalogue is removed or replaced while it runs.
@Suite(.onLoop)
struct LeavingTests {
    private let session = Session()
    private let captured = CapturedOutput()
    private var data: String { session.folder.path("data") }
    private var catalogue: String { data + "/catalogue.sqlite" }

    /// An agent with a library of one plan.
    @LoopActor private func assembly(_ log: Log = .silent) throws -> AgentAssembly {
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment, home: session.folder.path))
        let assembly = try AgentAssembly(
            configuration,
            account: Account(
                apiURL: "https://service.test", annotationsURL: nil, credentials: DemoService.token, userAgent: "test"),
            context: CommandContext(output: captured.output, environment: session.environment), log: log)
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest")
        try assembly.library.plans.update([PlanContents(plan: plan, items: [])], at: assembly.clock.timestamp)
        return assembly
    }

    @Test @LoopActor func whatIsKnownIsSavedAndToldOnce() async throws {
        let assembly = try assembly()
        var told: [LibraryError] = []
        assembly.onLeft = { told.append($0) }
        unlink(catalogue)
        for _ in 0..<2 {
            assembly.agent.reconcile()
            await assembly.agent.settled()
        }
        #expect(told == [.replaced(path: catalogue)])
        #expect(try Library.backups(in: data).count == 1)
        await assembly.stop()
        let next = try Library(folder: data)
        #expect(try next.plans.all().map(\.plan.title) == ["Harvest"])
        #expect(try next.doubt == nil)
        next.close()
    }

    @Test @LoopActor func itIsLoggedWhereNobodyWantsToKnow() async throws {
        let lines = Mutex<[String]>([])
        let assembly = try assembly(Log { _, text in lines.withLock { $0.append("\(text)") } })
        unlink(catalogue)
        assembly.agent.reconcile()
        await assembly.agent.settled()
        #expect(lines.withLock { $0.contains("\(LibraryError.replaced(path: catalogue))") })
        await assembly.stop()
    }

    @Test @LoopActor func whereAnotherWorksOnTheLibraryNothingMoreIsWritten() async throws {
        let assembly = try assembly()
        var told: [LibraryError] = []
        assembly.onLeft = { told.append($0) }
        unlink(AgentLock.path(in: data))
        let other = try AgentLock.take(in: data)
        unlink(catalogue)
        let before = try Folder.names(in: data)
        assembly.agent.reconcile()
        await assembly.agent.settled()
        #expect(told == [.takenAway(folder: data)])
        #expect(try Folder.names(in: data) == before)
        await assembly.stop()
        withExtendedLifetime(other) {}
    }
}
