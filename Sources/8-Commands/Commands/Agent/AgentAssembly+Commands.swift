import Agent
import Catalogue
import CommandLine
import Host
import Library
import Model
import Platform
import Sync

extension AgentAssembly {
    /// Lets other commands pass work to the running agent if only one process at a time may do that work.
    func joinCommands() {
        control.answer("POST", "/v1/sync") { [self] request in
            if agent.isPaused {
                throw ControlRefusal(409, "the agent is paused; '\(woodshed("resume"))' ends the pause")
            }
            return try await answer(request) { [self] output in
                try await self.sync(asJSON: request.parameter("json") != nil, output)
            }
        }
        control.answer("POST", "/v1/accept") { [self] request in
            try await answer(request) { [self] _ in
                let accepted = try AcceptCommand.accept(plan: PlanID(request.parameter("plan") ?? ""), in: library, at: now)
                agent.noteChange()
                return accepted
            }
        }
        control.answer("POST", "/v1/select") { [self] request in
            guard let chart = request.parameter("chart"), let page = try request.number("page", in: 0...PageIndex.greatest) else {
                throw ControlRefusal(400, "a chart and a page are required")
            }
            do throws(Trouble) {
                let shown = try await agent.showing.select(
                    chart: AttachmentID(chart), page: PageIndex(page), isMarked: request.parameter("plain") == nil)
                return ControlReply(json: Array(#"{"from":"\#(shown.source.rawValue)","bytes":\#(shown.bytes.count)}"#.utf8))
            } catch {
                throw ControlRefusal(404, "\(error)")
            }
        }
    }

    private var now: Timestamp { clock.timestamp }

    private func sync(asJSON: Bool, _ output: Output) async throws -> SyncReport {
        let start = clock.now
        let before = agent.tally
        let outcome = await agent.poll()
        if outcome.isCancelled { throw ControlRefusal(503, "the agent is shutting down") }
        agent.reconcile()
        func checkIsAwaited() throws(ControlRefusal) {
            if Task.isCancelled { throw ControlRefusal(503, "nobody waits for this sync any more") }
        }
        try checkIsAwaited()
        // While the agent is paused, this wait lasts until the pause ends. Few callers wait that long, so check again afterwards.
        await agent.settled(bandPatience: .seconds(5))
        try checkIsAwaited()
        await agent.backUpCatalogue()
        var report = try await SyncReport.of(agent, after: outcome, tally: before) { (clock.now - start).inSeconds }
        report.isRoomTold = agent.isShortOfRoom
        for setback in outcome.setbacks { output.warning(setback.description.printable) }
        // The caller does not see the agent's log, so repeat here what the agent complains about.
        for complaint in agent.complaints { output.warning(complaint.printable) }
        for news in try library.charts.savedCharts().news { output.warning("\(news.found); \(news.remedy)".printable) }
        if !asJSON { for change in outcome.changes { output.result(change.localSentence.printable) } }
        return report
    }

    /// Runs `find`, and replies with everything that a command would have printed. If `find` fails, the reply has the message and
    /// the exit code that the command would have ended with. A `ControlRefusal` is thrown on instead.
    private func answer<Printed: Answer>(
        _ request: ControlRequest, _ find: @LoopActor (Output) async throws -> Printed
    ) async throws -> ControlReply {
        let spoken = try SpokenOutput()
        let asJSON = request.parameter("json") != nil
        do {
            let answer = try await find(spoken.output)
            return ControlReply(json: try spoken.answer(spoken.output.give(answer, asJSON: asJSON)).json)
        } catch let refusal as ControlRefusal {
            throw refusal
        } catch {
            let failure = CommandFailure(of: error)
            spoken.output.error(failure.message)
            if asJSON { spoken.output.failure(failure.message, as: Printed.form) }
            return ControlReply(json: try spoken.answer(failure.code).json)
        }
    }
}
