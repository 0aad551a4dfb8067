import DemoService
import LocalHTTP
import Platform
import Synchronization

/// The cost of a large library: fetching it, querying it, and restarting with it.
///
/// The programs run as users run them. The demo service runs in this process. It limits requests only for the restart, whose duration
/// depends on that limit.
@LoopActor
enum ScaleBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let runs = request.runs(quick: 1, usual: 5)
        let small = request.isQuick ? load(plans: 1, chartsPerPlan: 10) : load(plans: 5, chartsPerPlan: 10)
        let large = request.isQuick ? load(plans: 3, chartsPerPlan: 10) : load(plans: 40, chartsPerPlan: 15)
        let cost = "cpu_ms_per_chart"
        var measured = Measurements()
        for load in [small, large] {
            let size = "@\(load.charts)"
            let service = try DemoService.start(load: load)
            let home = try AgentHome(
                in: "\(folder)/\(load.charts)", service, settings: "cache:\n  limit: 8 GB\n  least_free: 0 MB\n")
            let agent = try await home.start()
            measured.add(cost + size, "ms", try cpuMilliseconds(of: agent) / Double(load.charts))
            try await agent.prints(" \(load.charts * load.pagesPerChart * 3) images ready", within: .seconds(1))
            await agent.end()
            measured += try await asked(home, runs: runs).named(size)
            service.stop()
            // The service's limit determines how long a restart takes, so the time hardly varies, and three runs are enough.
            if load == large { measured += try await startedAgain(home, load, service.apiURL, runs: min(runs, 3)).named(size) }
        }
        let (ours, theirs) = ("@\(large.charts)", "@\(small.charts)")
        measured.compare("cpu_per_chart\(ours)/\(theirs)", cost + ours, over: cost + theirs)
        return BenchmarkReport(measured)
    }

    /// Engraved pages, three per chart on average, with a mark on each.
    private static func load(plans: Int, chartsPerPlan: Int) -> DemoLoad {
        DemoLoad(
            plans: plans, chartsPerPlan: chartsPerPlan, layersPerPlan: chartsPerPlan, pagesPerChart: 3, markedPages: 4,
            scores: [DemoLoad.Score("riverside-lead", pages: 2), DemoLoad.Score("session-tunes-mixed", pages: 4)])
    }

    private static func cpuMilliseconds(of agent: RunningProgram) throws -> Double {
        try ProcessFigures.cpuMilliseconds(of: agent.child.pid).required("the agent has ended")
    }

    private static func asked(_ home: AgentHome, runs: Int) async throws -> Measurements {
        let questions = [("status", ["status"]), ("ready_next", ["ready", "--plan", "next"]), ("ready_all", ["ready", "--plan", "all"])]
        var measured = Measurements()
        for (name, words) in questions {
            for _ in 0..<runs {
                let cost = try await home.ask(words)
                measured.add("\(name)_s", "s", cost.wall / 1000)
                measured.add("\(name)_cpu_s", "s", cost.cpu / 1000)
            }
        }
        return measured
    }

    /// Restarts the agent with a service at the same address that limits requests as the real service does.
    private static func startedAgain(_ home: AgentHome, _ load: DemoLoad, _ address: String, runs: Int) async throws -> Measurements {
        let host = address.split(separator: "/").dropFirst().first
        let port = try (host?.split(separator: ":").last.flatMap { UInt16($0) }).required("\(address) names no port")
        var measured = Measurements()
        for _ in 0..<runs {
            let counts = AnswerCounts()
            let service = try DemoService.start(port: port, limit: RateLimit(), load: load, gate: counts)
            defer { service.stop() }
            let start = ProcessFigures.wallMilliseconds
            let agent = try await home.start(within: .seconds(600))
            measured.add("restart_s", "s", (ProcessFigures.wallMilliseconds - start) / 1000)
            measured.add("restart_cpu_s", "s", try cpuMilliseconds(of: agent) / 1000)
            await agent.end()
            let (requests, unchanged) = counts.value.withLock { $0 }
            measured.add("restart_limit_s", "s", Double((requests - 1) / 50 * 20))
            measured.add("restart_unchanged", "of requests", Double(unchanged) / Double(requests))
        }
        return measured
    }
}

/// Counts a service's requests, and its "not modified" responses.
private final class AnswerCounts: DemoGate {
    let value = Mutex((requests: 0, unchanged: 0))

    func admits(_ request: WebRequest) -> Bool { false }

    func answer(_ request: WebRequest, at host: DemoHost, by standIn: (WebRequest) -> WebReply) -> WebReply {
        let reply = standIn(request)
        if host == .api {
            value.withLock {
                $0.requests += 1
                $0.unchanged += reply.status == 304 ? 1 : 0
            }
        }
        return reply
    }
}
