import DemoService
import Platform

/// What a large library costs: fetching it, asking about it, and starting again with it.
///
/// The programs run as people run them. The stand-in runs in this process; it limits requests only when the agent starts
/// again, since then the limit decides how long it takes.
@LoopActor
enum ScaleBenchmark {
    /// Each start takes as long as the service's limit demands, which does not vary.
    private static let mostStarts = 3

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let runs = request.runs(quick: 1, usual: 5)
        let small = request.isQuick ? load(plans: 1, chartsPerPlan: 10) : load(plans: 5, chartsPerPlan: 10)
        let large = request.isQuick ? load(plans: 3, chartsPerPlan: 10) : load(plans: 40, chartsPerPlan: 15)
        var measured = Measurements()
        for load in [small, large] {
            let service = try DemoService.start(limit: .generous, load: load)
            let home = try AgentHome(
                in: "\(folder)/\(load.charts)", service, settings: "cache:\n  limit: 8 GB\n  least_free: 0 MB\n")
            let agent = try await home.start()
            measured.add("cpu_ms_per_chart@\(load.charts)", "ms", try cpuMilliseconds(of: agent) / Double(load.charts))
            try await agent.says(" \(load.charts * load.pagesPerChart * 3) images ready", within: .seconds(1))
            await agent.end()
            measured += try await asked(home, load, runs: runs)
            service.stop()
            if load == large { measured += try await startedAgain(home, load, service.apiURL, runs: min(runs, mostStarts)) }
        }
        let cost = "cpu_ms_per_chart@"
        measured.compare("cpu_per_chart@\(large.charts)/@\(small.charts)", cost + "\(large.charts)", over: cost + "\(small.charts)")
        return BenchmarkReport(figures: measured.figures)
    }

    /// Engraved pages, three per chart on average, with a mark on each.
    private static func load(plans: Int, chartsPerPlan: Int) -> DemoLoad {
        DemoLoad(
            plans: plans, chartsPerPlan: chartsPerPlan, layersPerPlan: chartsPerPlan, pagesPerChart: 3, markedPages: 4,
            scores: [DemoLoad.Score("riverside-lead", pages: 2), DemoLoad.Score("session-tunes-mixed", pages: 4)])
    }

    private static func cpuMilliseconds(of agent: RunningProgram) throws -> Double {
        guard let cpu = ProcessFigures.cpuMilliseconds(of: agent.child.pid) else { throw BenchmarkFailure("the agent has ended") }
        return cpu
    }

    /// Asks for the state of everything, with no agent running.
    private static func asked(_ home: AgentHome, _ load: DemoLoad, runs: Int) async throws -> Measurements {
        let questions = [("status", ["status"]), ("ready_next", ["ready", "--plan", "next"]), ("ready_all", ["ready", "--plan", "all"])]
        var measured = Measurements()
        for (name, words) in questions {
            for _ in 0..<runs {
                let cost = try await home.ask(words)
                measured.add("\(name)_s@\(load.charts)", "s", cost.wall / 1000)
                measured.add("\(name)_cpu_s@\(load.charts)", "s", cost.cpu / 1000)
            }
        }
        return measured
    }

    /// Starts the agent again, with a service at the same address that limits requests as the real one does.
    private static func startedAgain(_ home: AgentHome, _ load: DemoLoad, _ address: String, runs: Int) async throws -> Measurements {
        guard let port = address.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchmarkFailure("\(address) names no port")
        }
        var measured = Measurements()
        for _ in 0..<runs {
            let service = try DemoService.start(port: port, load: load)
            defer { service.stop() }
            let start = ProcessFigures.wallMilliseconds
            let agent = try await home.start(within: .seconds(600))
            measured.add("restart_s@\(load.charts)", "s", (ProcessFigures.wallMilliseconds - start) / 1000)
            measured.add("restart_cpu_s@\(load.charts)", "s", try cpuMilliseconds(of: agent) / 1000)
            await agent.end()
            let statistics = service.statistics
            measured.add("restart_limit_s@\(load.charts)", "s", Double((statistics.requests - 1) / 50 * 20))
            measured.add(
                "restart_unchanged@\(load.charts)", "of requests", Double(statistics.unchanged) / Double(statistics.requests))
        }
        return measured
    }
}
