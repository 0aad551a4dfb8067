import DemoService
import Glibc
import Platform

/// A home that an agent has filled from a stand-in, and what using it costs.
@LoopActor
final class ScaledHome {
    private let load: DemoLoad
    private let folder: ScratchFolder
    private var service: DemoService
    private let program: String
    private var logs = 0

    private var home: String { folder.path + "/home" }

    /// Fills a home, and measures that and whatever else is to be measured there.
    static func measure(
        _ load: DemoLoad, runs: Int, _ more: (ScaledHome) async throws -> [Figure]
    ) async throws -> [Figure] {
        let home = try ScaledHome(load)
        defer { home.end() }
        return try await [home.filled()] + more(home)
    }

    private init(_ load: DemoLoad) throws {
        self.load = load
        folder = try ScratchFolder()
        service = try DemoService.start(limit: .generous, load: load)
        program = try ViewedAgent.program()
        try ViewedAgent.configure(home, service, port: try WebConnection.freePort(), more: "cache:\n  limit: 8 GB\n  least_free: 0 MB\n")
    }

    private func end() {
        service.stop()
        folder.remove()
    }

    private func filled() async throws -> Figure {
        let agent = try start()
        try await agent.says("asleep", within: .seconds(3600))
        guard let cpu = ProcessFigures.cpuMilliseconds(of: agent.child.pid) else { throw BenchmarkFailure("the agent has ended") }
        try await agent.says(" \(load.charts * load.pagesPerChart * 3) images ready", within: .seconds(1))
        await agent.end()
        return Figure("cpu_ms_per_chart@\(load.charts)", unit: "ms", runs: [cpu / Double(load.charts)])
    }

    /// Asks for the state of everything, with no agent running.
    func asked(runs: Int) async throws -> [Figure] {
        let questions = [("status", ["status"]), ("ready_next", ["ready", "--plan", "next"]), ("ready_all", ["ready", "--plan", "all"])]
        var figures: [Figure] = []
        for (name, words) in questions {
            var (walls, cpus): ([Double], [Double]) = ([], [])
            for _ in 0..<runs {
                let (wall, cpu) = (ProcessFigures.wallMilliseconds, ProcessFigures.cpuMillisecondsOfChildren)
                try await ask(words)
                walls.append((ProcessFigures.wallMilliseconds - wall) / 1000)
                cpus.append((ProcessFigures.cpuMillisecondsOfChildren - cpu) / 1000)
            }
            figures.append(Figure("\(name)_s@\(load.charts)", unit: "s", runs: walls))
            figures.append(Figure("\(name)_cpu_s@\(load.charts)", unit: "s", runs: cpus))
        }
        return figures
    }

    /// Starts the agent again, with a service that limits requests as the real one does.
    func startedAgain(runs: Int) async throws -> [Figure] {
        let port = try Self.port(of: service)
        var (walls, cpus, limits, unchanged): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<runs {
            service.stop()
            service = try DemoService.start(port: port, load: load)
            let start = ProcessFigures.wallMilliseconds
            let agent = try self.start()
            try await agent.says("asleep", within: .seconds(600))
            walls.append((ProcessFigures.wallMilliseconds - start) / 1000)
            guard let cpu = ProcessFigures.cpuMilliseconds(of: agent.child.pid) else { throw BenchmarkFailure("the agent has ended") }
            cpus.append(cpu / 1000)
            await agent.end()
            let statistics = service.statistics
            limits.append(Double((statistics.requests - 1) / 50 * 20))
            unchanged.append(Double(statistics.unchanged) / Double(statistics.requests))
        }
        return [
            Figure("restart_s@\(load.charts)", unit: "s", runs: walls), Figure("restart_limit_s@\(load.charts)", unit: "s", runs: limits),
            Figure("restart_cpu_s@\(load.charts)", unit: "s", runs: cpus),
            Figure("restart_unchanged@\(load.charts)", unit: "of requests", runs: unchanged),
        ]
    }

    private static func port(of service: DemoService) throws -> UInt16 {
        guard let port = service.apiURL.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchmarkFailure("\(service.apiURL) names no port")
        }
        return port
    }

    private func start() throws -> RunningProgram { try RunningProgram(program, ["agent", "--home", home], log: nextLog()) }

    private func ask(_ words: [String]) async throws {
        let log = nextLog()
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let output = try Descriptor.open(log, O_WRONLY | O_CREAT | O_APPEND)
        let child = try Child.start(
            program, arguments: words + ["--home", home], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [null.number, output.number, output.number])
        let exit = await child.exit()
        guard exit == .code(0) else {
            let said = String(decoding: try AtomicFile.read(log, limit: 1 << 20), as: UTF8.self)
            throw BenchmarkFailure("'\(words.joined(separator: " "))' \(exit):\n\(said.suffix(2000))")
        }
    }

    private func nextLog() -> String {
        logs += 1
        return folder.path + "/log.\(logs)"
    }
}
