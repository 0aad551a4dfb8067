import Agent
import DemoService
import HTTPClient
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Sync

/// What syncing costs: requests, bytes, CPU time and memory, for a first sync and for polls that find nothing new.
///
/// The stand-in runs here, and the polling in a process of its own, so that nothing of the stand-in is measured.
@LoopActor
enum PollBenchmark {
    private static let chartsPerPlan = 5
    private static let largeChart = 5_000_000

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        var figures: [Figure] = []
        for plans in [1, 10, 100] {
            let load = DemoLoad(plans: plans, chartsPerPlan: chartsPerPlan)
            let record = try await poll(load, idlePolls: request.isQuick ? 2 : 5, home: "\(folder)/\(plans)")
            figures += Self.figures("sync", [record.first], plans: plans) + Self.figures("idle", record.idle, plans: plans)
        }
        // As much as a hundred large scans.
        let large = DemoLoad(plans: request.isQuick ? 2 : 10, chartsPerPlan: 10, bytesPerChart: largeChart)
        let record = try await poll(large, idlePolls: 0, home: folder + "/large")
        figures.append(Figure("sync_peak_mib", unit: "MiB", runs: [record.peakMebibytes]))
        return BenchmarkReport(figures: figures)
    }

    private static func figures(_ name: String, _ polls: [Poller.Poll], plans: Int) -> [Figure] {
        [
            Figure("\(name)_requests@\(plans)", unit: "requests", runs: polls.map { Double($0.requests) }),
            Figure("\(name)_bytes_received@\(plans)", unit: "bytes", runs: polls.map { Double($0.received) }),
            Figure("\(name)_bytes_written@\(plans)", unit: "bytes", runs: polls.map { Double($0.written) }),
            Figure("\(name)_cpu_ms@\(plans)", unit: "ms", runs: polls.map(\.cpuMilliseconds)),
        ]
    }

    /// Syncs a new library with a stand-in that has this load.
    private static func poll(_ load: DemoLoad, idlePolls: Int, home: String) async throws -> Poller.Record {
        let service = try DemoService.start(limit: .generous, load: load)
        defer { service.stop() }
        let record = try await Poller(
            apiURL: service.apiURL, annotationsURL: service.annotationsURL, folder: home, idlePolls: idlePolls
        ).measured()
        if let setback = record.setbacks.first { throw BenchmarkFailure("a sync was not complete: \(setback)") }
        // A measure that does not see the charts of the first sync would see nothing in idle polls either.
        guard record.first.written > load.charts * load.bytesPerChart else {
            throw BenchmarkFailure("a first sync of \(load.charts) charts seems to write \(record.first.written) bytes")
        }
        return record
    }
}

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
        let curl = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: SystemClock())
        let transport = CountingTransport(curl)
        let agent = try Agent.measured(
            in: folder, renderer: NoRenderer(), service: (apiURL, annotationsURL), transport: transport, settings: AgentSettings())
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
