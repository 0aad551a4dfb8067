import Glibc
import Platform

extension ControlDesk {
    /// Answers who an agent is and what it does, and passes on changes and pauses to it. `complaints` come from what works beside it.
    public func serve(
        _ agent: Agent, version: String, complaints: @escaping @LoopActor () -> [String] = { [] },
        watching: @escaping @LoopActor () -> AgentReport.Watching
    ) {
        let since = agent.parts.now
        tellProgress { [weak agent] in ControlProgress(agent?.progress) }
        answer("GET", "/v1/live") { _ in
            ControlReply(json: Array(#"{"version":"\#(version)","pid":\#(getpid()),"since":"\#(since)"}"#.utf8))
        }
        answer("GET", "/v1/status") { [weak agent] _ in
            guard let agent else { throw ControlRefusal(503, "the agent is shutting down") }
            var report = agent.report(version: version, since: since, watching: watching())
            report.complaints += complaints()
            return ControlReply(json: report.json)
        }
        answer("POST", "/v1/pause") { [weak agent] request in
            // In seconds, up to a month.
            let seconds = try request.number("for", in: 1...31 * 86_400)
            agent?.pause(for: seconds.map { .seconds($0) })
            return ControlReply()
        }
        answer("POST", "/v1/resume") { [weak agent] _ in
            agent?.resume()
            return ControlReply()
        }
        answer("POST", "/v1/changed") { [weak agent] _ in
            agent?.noteChange()
            return ControlReply(status: 202)
        }
    }
}
