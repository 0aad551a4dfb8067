import DemoService
import Glibc
import Platform

/// What a large library costs: fetching it, asking about it, and starting again with it.
///
/// The programs run as people run them. The stand-in runs in this process; it limits requests only when the agent starts
/// again, since then the limit decides how long it takes.
enum ScaleBenchmark {
    private static let runs = 5
    private static let small = load(plans: 5, chartsPerPlan: 10)
    private static let large = load(plans: 40, chartsPerPlan: 15)
    private static let quickSmall = load(plans: 1, chartsPerPlan: 10)
    private static let quickLarge = load(plans: 3, chartsPerPlan: 10)

    /// Engraved pages, three per chart on average, with a mark on each.
    private static func load(plans: Int, chartsPerPlan: Int) -> DemoLoad {
        DemoLoad(
            plans: plans, chartsPerPlan: chartsPerPlan, layersPerPlan: chartsPerPlan, pagesPerChart: 3, markedPages: 4,
            scores: [DemoLoad.Score("riverside-lead", pages: 2), DemoLoad.Score("session-tunes-mixed", pages: 4)])
    }

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let runs = request.runs ?? (request.isQuick ? 1 : Self.runs)
        let (small, large) = request.isQuick ? (quickSmall, quickLarge) : (small, large)
        let figures = try onLoop {
            let few = try await ScaledHome.measure(small, runs: runs) { home in try await home.asked(runs: runs) }
            let many = try await ScaledHome.measure(large, runs: runs) { home in
                try await home.asked(runs: runs) + (try await home.startedAgain(runs: min(runs, mostStarts)))
            }
            return few + many
        }
        return BenchmarkReport(
            "scale", figures: figures + [growth(figures, from: small.charts, to: large.charts)].compactMap(\.self), notes: notes)
    }

    /// Each start takes as long as the service's limit demands, which does not vary.
    private static let mostStarts = 3

    private static func growth(_ figures: [Figure], from small: Int, to large: Int) -> Figure? {
        func cost(_ charts: Int) -> Double? { figures.first { $0.name == "cpu_ms_per_chart@\(charts)" }?.value }
        guard let few = cost(small), let many = cost(large) else { return nil }
        return Figure("cpu_per_chart@\(large)/@\(small)", unit: "ratio", runs: [many / few])
    }

    private static let notes = [
        "cpu_ms_per_chart: CPU time of the agent's process, without the processes that draw, from its first start until it sleeps.",
        "status_s, ready_next_s, ready_all_s: on the wall, beside no agent; ..._cpu_s is user and system time of the same, with the "
            + "renderer that says which images are needed.",
        "restart_s: from starting the agent on that home until it sleeps again, with the service's usual limit. restart_limit_s is "
            + "what that limit demands of the requests that it took: half of 100 in 20 seconds at a time.",
    ]
}
