import Agent
import DemoService
import HTTPClient
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import StandInSupport
import Synchronization
import TestSupport

@testable import Sync

/// An agent with a real library and real HTTP, but without a real renderer.
@LoopActor
final class Stage {
    let library: Library
    let agent: Agent
    private let transport: CurlTransport
    private let lines: Lines

    /// The log's lines.
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// If `isPatient`, the client waits as long as in people's agents: on a busy machine, a server may be late by seconds.
    init(_ folder: TemporaryFolder, _ demo: StandIn, serviceTypes: [String] = [], isPatient: Bool = false) throws {
        let lines = Lines()
        self.lines = lines
        let log = Log { level, text in lines.all.withLock { $0.append("\(text)") } }
        library = try Library(folder: folder.path("data"))
        transport = CurlTransport(
            userAgent: "woodshed-tests/1", allowsInsecureLoopback: true, limits: isPatient ? CurlLimits() : Self.limits)
        let clock = HurriedClock()
        agent = Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder.path("cache")), renderer: SimulatedRenderer(),
                service: Self.client(of: demo, transport, clock, log, serviceTypes, answers: LibraryAnswers(library, log: log)),
                time: clock, log: log),
            settings: AgentSettings())
    }

    var logged: [String] { lines.all.withLock { $0 } }

    /// Polls once and renders missing images.
    func sync() async -> PollOutcome {
        let outcome = await agent.poll()
        await agent.settled()
        return outcome
    }

    func stop() async {
        transport.close()
        await agent.stop()
    }

    /// The service's content, as a client without any stored answers receives it.
    static func truth(at demo: StandIn, serviceTypes: [String] = []) async throws -> Contents {
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true, limits: limits)
        defer { transport.close() }
        let client = client(of: demo, transport, SystemClock(), .silent, serviceTypes)
        var contents = Contents()
        for plan in try await client.comingPlans() {
            let told = try await client.contents(of: plan)
            contents.plans.append(PlanContents(plan: told.plan, items: told.items).drawing([:]))
            for layer in try await client.layers(of: plan)?.layers ?? [] { contents.layers[layer.id] = layer }
        }
        contents.takeBytes(from: demo)
        return contents
    }

    /// The limits are short, so that requests to a silent server fail soon.
    private static var limits: CurlLimits {
        var limits = CurlLimits()
        limits.connectTimeout = .seconds(5)
        limits.slowTime = .seconds(2)
        return limits
    }

    private static func client(
        of demo: StandIn, _ transport: CurlTransport, _ clock: any TimeKeeper, _ log: Log, _ serviceTypes: [String],
        answers: LibraryAnswers? = nil
    ) -> PlanningCenterClient {
        PlanningCenterClient(
            account: Account(
                apiURL: demo.apiURL, annotationsURL: demo.annotationsURL, credentials: DemoService.token,
                serviceTypes: serviceTypes.map { ServiceTypeID($0) }, userAgent: "woodshed-tests/1"),
            transport: transport, time: clock, log: log, answers: answers)
    }
}
