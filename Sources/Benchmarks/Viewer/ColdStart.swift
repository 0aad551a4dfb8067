import DemoService
import Glibc
import Platform

/// How long an agent takes, on a home where everything is ready, from its start until it answers browsers and other commands.
@LoopActor
enum ColdStart {
    struct Times {
        var viewer: [Double] = []
        var control: [Double] = []
        /// Until both have answered.
        var both: [Double] = []
    }

    /// Starts it `runs` times, and ends it each time once it sleeps.
    static func measure(home: String, port: UInt16, runs: Int, log: String) async throws -> Times {
        var times = Times()
        let program = try ViewedAgent.program()
        let socket = ViewedAgent.controlSocket(of: home)
        for run in 0..<runs {
            let path = "\(log).\(run)"
            let start = ProcessFigures.wallMilliseconds
            let agent = try RunningProgram(program, ["agent", "--home", home], log: path)
            var viewer: Double?
            var control: Double?
            while viewer == nil || control == nil {
                if viewer == nil, let connection = try? WebConnection(port: port) {
                    try connection.ask(Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
                    viewer = ProcessFigures.wallMilliseconds - start
                }
                if control == nil, let connection = try? WebConnection(unixSocket: socket) {
                    try connection.ask(Array("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                    guard connection.status == 200 else { throw BenchmarkFailure("the agent answers \(connection.status)") }
                    control = ProcessFigures.wallMilliseconds - start
                }
                guard ProcessFigures.wallMilliseconds - start < 60_000 else { throw BenchmarkFailure("the agent does not answer") }
                usleep(500)
            }
            times.viewer.append(viewer ?? .nan)
            times.control.append(control ?? .nan)
            times.both.append(max(viewer ?? .nan, control ?? .nan))
            try await agent.says("asleep", within: .seconds(600))
            await agent.end()
        }
        return times
    }

    static func figures(_ times: Times) -> [Figure] {
        [
            Figure("cold_start_ms", unit: "ms", runs: times.both), Figure("cold_start_viewer_ms", unit: "ms", runs: times.viewer),
            Figure("cold_start_control_ms", unit: "ms", runs: times.control),
        ]
    }
}
