import DemoService
import Platform

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
