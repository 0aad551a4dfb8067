import Agent
import DemoService
import HTTPClient
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Sync

/// The cost of syncing: requests, bytes, CPU time and memory, for a first sync and for polls that find nothing new.
///
/// The demo service runs in this process and the polling in a separate one, so that the measurements exclude the service.
@LoopActor
enum PollBenchmark {
    private static let chartsPerPlan = 5
    private static let largeChart = 5_000_000

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        var measured = Measurements()
        for plans in [1, 10, 100] {
            let load = DemoLoad(plans: plans, chartsPerPlan: chartsPerPlan)
            measured += try await poll(load, idlePolls: request.isQuick ? 2 : 5, home: "\(folder)/\(plans)").named("@\(plans)")
        }
        // As many bytes as a hundred large scans, or twenty in a quick run.
        let large = DemoLoad(plans: request.isQuick ? 2 : 10, chartsPerPlan: 10, bytesPerChart: largeChart)
        measured.add("sync_peak_mib", "MiB", try await poll(large, idlePolls: 0, home: folder + "/large")["sync_peak_mib"])
        return BenchmarkReport(measured)
    }

    private static func poll(_ load: DemoLoad, idlePolls: Int, home: String) async throws -> Measurements {
        let service = try DemoService.start(load: load)
        defer { service.stop() }
        let polls = try await Poller(
            apiURL: service.apiURL, annotationsURL: service.annotationsURL, folder: home, idlePolls: idlePolls
        ).measured()
        // If the byte count missed the charts of the first sync, its value for idle polls would mean nothing either.
        let written = polls["sync_bytes_written"].reduce(0, +)
        try require(
            written > Double(load.charts * load.bytesPerChart), "a first sync of \(load.charts) charts seems to write \(written) bytes")
        return polls
    }
}

/// An agent without a renderer that syncs once and then polls several times without changes, like an agent during the day. These
/// polls are not requested by the user: requested polls read more.
struct Poller: MeasuredJob {
    let apiURL: String
    let annotationsURL: String
    let folder: String
    /// The number of polls after the first, which find nothing new. If zero, the peak memory of the sync is measured.
    let idlePolls: Int

    func record() async throws -> Measurements {
        let curl = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: SystemClock())
        let transport = CountingTransport(curl)
        let agent = try Agent.measured(in: folder, renderer: NoRenderer(), service: (apiURL, annotationsURL), transport: transport)
        var polls = Measurements()
        try await measure("sync", agent, .everything, transport, &polls)
        for _ in 0..<idlePolls { try await measure("idle", agent, PollScope(isRequested: false), transport, &polls) }
        if idlePolls == 0 { polls.add("sync_peak_mib", "MiB", try ProcessFigures.peakMebibytes()) }
        await agent.stop()
        curl.close()
        return polls
    }

    /// Adds the cost of one poll for this process. Bytes received are those of response bodies and charts, after decompression. Bytes
    /// written include the few with which the process wakes its own loop.
    @LoopActor
    private func measure(
        _ name: String, _ agent: Agent, _ scope: PollScope, _ transport: CountingTransport, _ polls: inout Measurements
    ) async throws {
        let (requests, received) = (transport.requests, transport.received)
        let written = try ProcessFigures.bytesWritten()
        let cpu = ProcessFigures.cpuMilliseconds
        let outcome = await agent.poll(scope)
        await agent.settled()
        // A setback makes the figures worthless.
        if let setback = outcome.setbacks.first { throw Trouble("a sync was not complete: \(setback)") }
        polls.add("\(name)_requests", "requests", Double(transport.requests - requests))
        polls.add("\(name)_bytes_received", "bytes", Double(transport.received - received))
        polls.add("\(name)_bytes_written", "bytes", Double(try ProcessFigures.bytesWritten() - written))
        polls.add("\(name)_cpu_ms", "ms", ProcessFigures.cpuMilliseconds - cpu)
    }
}

/// Counts requests and received bytes of another transport.
@LoopActor
private final class CountingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private(set) var requests = 0
    private(set) var received = 0

    init(_ inner: any HTTPTransport) { self.inner = inner }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { count(try await inner.send(request)) }

    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        count(
            try await inner.send(request) { [self] bytes in
                received += bytes.count
                return sink(bytes)
            })
    }

    private func count(_ response: HTTPResponse) -> HTTPResponse {
        requests += 1
        received += response.body.count
        return response
    }
}
