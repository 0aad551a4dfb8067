import DemoService
import Platform

/// What syncing costs: requests, bytes, CPU time and memory, for a first sync and for polls that find nothing new.
///
/// The stand-in runs here, and the polling in a process of its own, so that nothing of the stand-in is measured.
enum PollBenchmark {
    private static let plans = [1, 10, 100]
    private static let chartsPerPlan = 5
    private static let idlePolls = 5
    private static let quickIdlePolls = 2
    /// As much as a hundred large scans.
    private static let large = DemoLoad(plans: 10, chartsPerPlan: 10, bytesPerChart: 5_000_000)
    private static let quickLarge = DemoLoad(plans: 2, chartsPerPlan: 10, bytesPerChart: 5_000_000)

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let figures = try onLoop {
            var figures: [Figure] = []
            for count in plans {
                let record = try await poll(
                    DemoLoad(plans: count, chartsPerPlan: chartsPerPlan), idlePolls: request.isQuick ? quickIdlePolls : idlePolls)
                figures += Self.figures(record, plans: count)
            }
            let record = try await poll(request.isQuick ? quickLarge : large, idlePolls: 0)
            return figures + [Figure("sync_peak_mib", unit: "MiB", runs: [record.peakMebibytes])]
        }
        return BenchmarkReport("poll", figures: figures, notes: [written])
    }

    private static let written =
        "bytes_written: what the process handed to the system to be written, mostly to files; idle polls are the regular ones, that nobody "
        + "asked for."

    private static func figures(_ record: PollRecord, plans: Int) -> [Figure] {
        func idle(_ name: String, _ unit: String, _ value: (PollMeasurement) -> Double) -> Figure {
            Figure("idle_\(name)@\(plans)", unit: unit, runs: record.idle.map(value))
        }
        func first(_ name: String, _ unit: String, _ value: (PollMeasurement) -> Double) -> Figure {
            Figure("sync_\(name)@\(plans)", unit: unit, runs: [value(record.first)])
        }
        return [
            first("requests", "requests") { Double($0.requests) }, first("bytes_received", "bytes") { Double($0.received) },
            first("bytes_written", "bytes") { Double($0.written) }, first("cpu_ms", "ms", \.cpuMilliseconds),
            idle("requests", "requests") { Double($0.requests) }, idle("bytes_received", "bytes") { Double($0.received) },
            idle("bytes_written", "bytes") { Double($0.written) }, idle("cpu_ms", "ms", \.cpuMilliseconds),
        ]
    }

    /// Syncs a new library with a stand-in that has this load.
    @LoopActor
    private static func poll(_ load: DemoLoad, idlePolls: Int) async throws -> PollRecord {
        let service = try DemoService.start(limit: .generous, load: load)
        defer { service.stop() }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let record: PollRecord = try await MeasuredProcess.run(
            [Poller.word, service.apiURL, service.annotationsURL, folder.path + "/home", "\(idlePolls)"])
        if let setback = record.setbacks.first { throw BenchmarkFailure("a sync was not complete: \(setback)") }
        // A measure that does not see the charts of the first sync would see nothing in idle polls either.
        guard record.first.written > load.charts * load.bytesPerChart else {
            throw BenchmarkFailure("a first sync of \(load.charts) charts seems to write \(record.first.written) bytes")
        }
        return record
    }
}
