import Agent
import DemoService
import FoundationEssentials
import Glibc
import Platform

/// A home whose agent is started as people start it, and fetches from a stand-in of the service.
@LoopActor
final class AgentHome {
    let folder: String
    let port: UInt16
    /// The program in the same folder as this one.
    let program: String
    private var logs = 0

    /// Makes one below `place`. `settings` are further lines of its configuration.
    init(in place: String, _ service: DemoService, settings: String = "") throws {
        folder = place + "/home"
        port = WebConnection.freePort()
        program = Folder.parent(of: try MeasuredRenderer.program()) + "/woodshed"
        try configure(service, settings: settings)
    }

    func configure(_ service: DemoService, settings: String) throws {
        try Folder.create(folder + "/config")
        try AtomicFile.write(DemoService.token.revealed + "\n", to: folder + "/token")
        try AtomicFile.write(
            """
            account:
              api_url: \(service.apiURL)
              annotations_url: \(service.annotationsURL)
              allow_http_loopback: true
              token_file: \(folder)/token
            viewer:
              port: \(port)
            \(settings)
            """, to: folder + "/config/woodshed.yaml")
    }

    /// Starts the agent, and waits until it has nothing left to do.
    func start(within limit: Duration = .seconds(3600)) async throws -> RunningProgram {
        let agent = try launch()
        try await agent.says("asleep", within: limit)
        return agent
    }

    private func launch() throws -> RunningProgram {
        logs += 1
        return try RunningProgram(program, ["agent", "--home", folder], log: "\(folder).log.\(logs)")
    }

    /// What another command costs while no agent runs.
    func ask(_ words: [String]) async throws -> Cost { try await RunningProgram.cost(program, words + ["--home", folder]) }

    /// Asks the agent, as other commands do.
    @discardableResult
    func control(_ method: String, _ path: String) throws -> [UInt8] {
        let socket = ControlDesk.socket(in: folder + "/runtime", library: folder + "/data")
        return try WebConnection(unixSocket: socket).ask(
            Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    /// How long the agent takes, if everything is ready, from its start until it answers browsers and other commands.
    func coldStarts(runs: Int) async throws -> Measurements {
        var cold = Measurements()
        for _ in 1...runs {
            var (viewer, control) = (0.0, 0.0)
            let start = ProcessFigures.wallMilliseconds
            let agent = try launch()
            while viewer == 0 || control == 0 {
                if viewer == 0, let connection = try? WebConnection(port: port) {
                    try connection.ask(Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8), expecting: nil)
                    viewer = ProcessFigures.wallMilliseconds - start
                }
                if control == 0, (try? self.control("GET", "/v1/status")) != nil { control = ProcessFigures.wallMilliseconds - start }
                guard ProcessFigures.wallMilliseconds - start < 60_000 else { throw BenchmarkFailure("the agent does not answer") }
                usleep(500)
            }
            try await agent.says("asleep", within: .seconds(600))
            await agent.end()
            cold.add("cold_start_ms", "ms", max(viewer, control))
            cold.add("cold_start_viewer_ms", "ms", viewer)
            cold.add("cold_start_control_ms", "ms", control)
        }
        return cold
    }
}
