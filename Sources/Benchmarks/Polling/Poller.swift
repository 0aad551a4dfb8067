import Agent
import DemoService
import HTTPClient
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Sync

/// An agent without a renderer, which syncs, and then polls several times without changes as it does all day: not as somebody
/// asked it to, which reads more.
struct Poller: MeasuredJob {
    /// What one poll cost the process.
    struct Poll: Codable {
        var requests = 0
        /// Bytes of answers' bodies and of charts, after decompression.
        var received = 0
        /// Bytes written to files, the few with which the process wakes its own loop included.
        var written = 0
        var cpuMilliseconds = 0.0
    }

    struct Record: Codable {
        var first = Poll()
        /// The polls after the first, which find nothing new.
        var idle: [Poll] = []
        var peakMebibytes = 0.0
        /// What did not work, which makes the figures worthless.
        var setbacks: [String] = []
    }

    let apiURL: String
    let annotationsURL: String
    let folder: String
    let idlePolls: Int

    func record() async throws -> Record {
        let clock = SystemClock()
        let curl = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: clock)
        let transport = CountingTransport(curl)
        let account = Account(
            apiURL: apiURL, annotationsURL: annotationsURL, credentials: DemoService.token, userAgent: "woodshed-bench")
        let library = try Library(folder: folder + "/data")
        let service = PlanningCenterClient(
            account: account, transport: transport, time: clock, log: .silent, answers: LibraryAnswers(library, log: .silent))
        let agent = Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder + "/cache"), renderer: NoRenderer(), service: service, time: clock,
                log: .silent),
            settings: AgentSettings())
        var record = Record()
        record.first = try await measure(agent, .everything, transport, &record)
        for _ in 0..<idlePolls { record.idle.append(try await measure(agent, PollScope(isRequested: false), transport, &record)) }
        record.peakMebibytes = try ProcessFigures.peakMebibytes()
        await agent.stop()
        curl.close()
        return record
    }

    @LoopActor
    private func measure(
        _ agent: Agent, _ scope: PollScope, _ transport: CountingTransport, _ record: inout Record
    ) async throws -> Poll {
        let (requests, received) = (transport.requests, transport.received)
        let written = try ProcessFigures.bytesWritten()
        let cpu = ProcessFigures.cpuMilliseconds
        let outcome = await agent.poll(scope)
        await agent.settled()
        record.setbacks += outcome.setbacks.map(\.description)
        return Poll(
            requests: transport.requests - requests, received: transport.received - received,
            written: try ProcessFigures.bytesWritten() - written, cpuMilliseconds: ProcessFigures.cpuMilliseconds - cpu)
    }
}

/// Counts what is sent over another transport.
@LoopActor
private final class CountingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private(set) var requests = 0
    private(set) var received = 0

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests += 1
        let response = try await inner.send(request)
        received += response.body.count
        return response
    }

    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        requests += 1
        let response = try await inner.send(request) { [self] bytes in
            received += bytes.count
            return sink(bytes)
        }
        received += response.body.count
        return response
    }
}
