import Agent
import DemoService
import FoundationEssentials
import Glibc
import HTTPClient
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Sync

/// The process that is measured: an agent without a renderer, which syncs, and then polls several times without changes
/// as it does all day: not as somebody asked it to, which reads more.
struct Poller: MeasuredChild {
    /// The first word of its command line, which is of no use to people.
    static let word = "--poller"

    private let apiURL: String
    private let annotationsURL: String
    private let folder: String
    private let idlePolls: Int

    init?(_ words: [String]) {
        guard words.count == 5, words[0] == Self.word, let idlePolls = Int(words[4]) else { return nil }
        apiURL = words[1]
        annotationsURL = words[2]
        folder = words[3]
        self.idlePolls = idlePolls
    }

    @LoopActor
    func record() async throws -> PollRecord {
        let clock = SystemClock()
        let curl = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: clock)
        let transport = CountingTransport(curl)
        let account = Account(
            apiURL: apiURL, annotationsURL: annotationsURL, credentials: DemoService.token, userAgent: "woodshed-bench")
        let library = try Library(folder: folder + "/data")
        let agent = Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder + "/cache"), renderer: NoRenderer(),
                service: PlanningCenterClient(
                    account: account, transport: transport, time: clock, log: .silent,
                    answers: LibraryAnswers(library, log: .silent)), time: clock,
                log: .silent),
            settings: AgentSettings())
        var record = PollRecord()
        record.first = try await measure(agent, .everything, transport, &record)
        for _ in 0..<idlePolls { record.idle.append(try await measure(agent, PollScope(isRequested: false), transport, &record)) }
        record.peakMebibytes = try ProcessFigures.peakMebibytes()
        await agent.stop()
        curl.close()
        return record
    }

    @LoopActor
    private func measure(
        _ agent: Agent, _ scope: PollScope, _ transport: CountingTransport, _ record: inout PollRecord
    ) async throws -> PollMeasurement {
        let (requests, received) = (transport.requests, transport.received)
        let written = try ProcessFigures.bytesWritten()
        let cpu = ProcessFigures.cpuMilliseconds
        let outcome = await agent.poll(scope)
        await agent.settled()
        var measurement = PollMeasurement()
        measurement.cpuMilliseconds = ProcessFigures.cpuMilliseconds - cpu
        measurement.requests = transport.requests - requests
        measurement.received = transport.received - received
        measurement.written = try ProcessFigures.bytesWritten() - written
        record.setbacks += outcome.setbacks.map(\.description)
        return measurement
    }
}
