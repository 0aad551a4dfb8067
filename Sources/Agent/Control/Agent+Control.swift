import Glibc
import Platform

extension Agent {
    /// Somebody else changed the library: looks at it anew, and for charts of files of marks that had none.
    public func noteChange() {
        // They may be files that are gone for good.
        if !markFolders.emptied.isEmpty { markKeeper.look() }
        markKeeper.matchAgain()
        reconcile()
    }

    /// Has `desk` answer who this agent is and what it does, and hear of changes and pauses. `complaints` are of what works beside it.
    public func join(
        _ desk: ControlDesk, version: String, complaints: @escaping @LoopActor () -> [String] = { [] },
        watching: @escaping @LoopActor () -> AgentReport.Watching
    ) {
        let since = now
        desk.progress = { [weak self] in ControlProgress(self?.progress) }
        desk.answer("GET", "/v1/live") { _ in
            ControlReply(json: Array(#"{"version":"\#(version)","pid":\#(getpid()),"since":"\#(since)"}"#.utf8))
        }
        desk.answer("GET", "/v1/status") { [weak self] _ in
            guard let self else { throw ControlRefusal(503, "the agent is ending") }
            var report = report(version: version, since: since, watching: watching())
            report.complaints += complaints()
            return ControlReply(json: report.json)
        }
        desk.answer("POST", "/v1/pause") { [weak self] request in
            // In seconds, up to a month.
            let seconds = try request.number("for", in: 1...31 * 86_400)
            self?.pause(for: seconds.map { .seconds($0) })
            return ControlReply()
        }
        desk.answer("POST", "/v1/resume") { [weak self] _ in
            self?.resume()
            return ControlReply()
        }
        desk.answer("POST", "/v1/changed") { [weak self] _ in
            self?.noteChange()
            return ControlReply(status: 202)
        }
    }
}
