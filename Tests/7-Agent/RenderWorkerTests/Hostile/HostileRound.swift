import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// One run through hostile charts with its own processes; each chart is followed by a good one.
@LoopActor
final class HostileRound {
    /// The result of one chart.
    struct Result {
        var outcome: HostileChart.Outcome
        /// The images of its pages, if there are any.
        var images: [[UInt8]] = []
        /// The warnings about its pages.
        var warnings: [String] = []
        /// Whether the good page right after the chart was drawn correctly.
        var isNextGood = false
        var time = Duration.zero
    }

    private let bench = HostileRound.bench()
    /// A second pool, which describes the charts, because a page must have the same fate in a process that has not described its chart.
    private let reader = HostileRound.bench()
    private let clock = SystemClock()
    private let charts: [HostileChart]
    private let good: [UInt8]
    private var next = 0
    private(set) var results: [Int: Result] = [:]
    /// The most memory that all processes used together.
    private(set) var mostMemory = 0

    /// The most pages of one chart that are tried.
    private static let mostPages = 4

    /// A pool like the agent's, with fixed limits on any machine, and less computing time: the hostile jobs would use up every second.
    private static func bench() -> Bench {
        Bench {
            $0.cpuSeconds = 1
            $0.addressSpace = ByteCount(1 << 30)
        }
    }

    private init(_ charts: [HostileChart]) async throws {
        self.charts = charts
        let quiet = Bench { $0.width = 1 }
        good = try await quiet.render(quiet.chart(.halfBlack), settings: Bench.small).images[.plain] ?? []
        await quiet.pool.stop()
        try #require(PNGImage(good)?[10, 10] == 0)
    }

    /// Runs all charts; returns when every chart has met its fate.
    static func run(_ charts: [HostileChart]) async throws -> HostileRound {
        let round = try await HostileRound(charts)
        round.measure()
        let lanes = (0..<round.bench.pool.width).map { _ in spawnThrowing { try await round.work() } }
        for lane in lanes { try await lane.value }
        round.next = .max
        for bench in [round.bench, round.reader] { await bench.pool.stop() }
        return round
    }

    /// Measures the memory repeatedly, while there is work.
    private func measure() {
        guard next <= charts.count else { return }
        let processes = bench.pool.processes + reader.pool.processes
        mostMemory = max(mostMemory, processes.reduce(0) { $0 + Self.residentMemory($1) })
        _ = clock.schedule(at: clock.now + .milliseconds(20)) { [self] in measure() }
    }

    private static func residentMemory(_ pid: Int32) -> Int {
        let words = (try? AtomicFile.read("/proc/\(pid)/statm", limit: 4096)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (words.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    private func work() async throws {
        while next < charts.count {
            let number = next
            next += 1
            let chart = try bench.chart(charts[number].bytes, name: "hostile-\(number).pdf")
            let start = clock.now
            var result = try await self.result(of: chart)
            result.time = clock.now - start
            let path = try bench.chart(.halfBlack, name: "good-\(number).pdf")
            result.isNextGood = try await patiently { try await self.bench.render(path, settings: Bench.small) }.images[.plain] == good
            results[number] = result
        }
    }

    private func result(of chart: String) async throws -> Result {
        let description: ChartDescription
        do {
            description = try await patiently { try await self.reader.pool.describe(chart: chart) }
        } catch let failure as RenderFailure {
            return Result(outcome: .unopened(Self.fate(failure)), warnings: [failure.description])
        }
        var (result, fates) = (Result(outcome: .pages([]), warnings: description.warnings), [HostileChart.Fate]())
        for page in description.pages.indices.prefix(Self.mostPages) {
            do {
                let (images, outcome) = try await patiently { try await self.bench.render(chart, page: page, settings: Bench.small) }
                fates.append(outcome.warnings.isEmpty ? .drawn : .warned)
                result.warnings += outcome.warnings
                result.images.append(images[.plain] ?? [])
            } catch let failure as RenderFailure {
                fates.append(failure == .noSuchPage(PageIndex(page)) ? .bad : Self.fate(failure))
                result.warnings.append(failure.description)
            }
        }
        result.outcome = .pages(fates)
        return result
    }

    /// Tries again if the machine was too busy for the job, because that proves nothing about the chart.
    private func patiently<Value: Sendable>(_ job: @LoopActor () async throws -> Value) async throws -> Value {
        for _ in 0..<9 {
            do {
                return try await job()
            } catch RenderFailure.heldUp {}
        }
        return try await job()
    }

    private static func fate(_ failure: RenderFailure) -> HostileChart.Fate {
        switch failure {
        case .timedOut: .timedOut
        case .crashed: .crashed
        default: .refused(failure)
        }
    }
}
