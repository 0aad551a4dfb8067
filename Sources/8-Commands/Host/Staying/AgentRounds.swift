package import Agent
import CommandLine
import Library
import Model
package import Platform
import Sync

/// After each poll of a running agent, reports the outcome and makes everything ready.
@LoopActor
package final class AgentRounds {
    private let assembly: AgentAssembly
    private let log: Log
    private let ending: Ending
    private let clock: any TimeKeeper
    private var isOver = false
    private var isFirst = true
    private var reported: [Setback] = []
    private var isAnswered = true
    private var stock = ""
    /// Called after each poll with the most important fact: the reason why the poll failed, or a summary of the library.
    package var onStatus: (@LoopActor (String) -> Void)?

    private var agent: Agent { assembly.agent }
    private var isEnding: Bool { isOver || ending.isOver }

    package init(_ assembly: AgentAssembly, log: Log, clock: any TimeKeeper, ending: Ending) {
        (self.clock, self.assembly, self.log, self.ending) = (clock, assembly, log, ending)
    }

    package func begin(in surroundings: any Surroundings) {
        agent.onChanges { [log] changes in for change in changes { log.info(change.localSentence) } }
        // Make the charts on this machine ready immediately, before the service has answered.
        agent.reconcile()
        agent.beginPolling(in: surroundings) { [weak self] outcome in await self?.finish(outcome) }
    }

    package func end() { isOver = true }

    /// Handles a poll's outcome.
    func finish(_ outcome: PollOutcome) async {
        // If the agent is being stopped, report nothing: the user knows that the work is unfinished.
        guard !isEnding else { return }
        report(outcome)
        // Report trouble with the service now, and not only after all pages are drawn.
        if let setback = outcome.setbacks.first { onStatus?("\(setback)") }
        // Where the socket's folder cannot be watched, only this check finds out that the socket is gone.
        assembly.keepControl()
        agent.reconcile()
        await agent.settled()
        guard !isEnding else { return }
        await assembly.notifying.notify(after: outcome)
        guard !isEnding else { return }
        await agent.backUpCatalogue()
        guard !isEnding else { return }
        if assembly.couldKeepMore {
            log.info("\(assembly.data) is writable again")
            return ending.interrupt()
        }
        let (isNews, isRefused) = (isFirst || !outcome.changes.isEmpty, outcome.reach == .notAuthorised)
        // Count only when needed: few polls bring changes, and counting a large library's contents holds up everything else for a moment.
        if isNews || isRefused {
            do {
                let table = try await agent.planTable()
                stock = table.summary(agent.tally)
                if isNews { log.info(stock) }
                // An agent with nothing to show, whose token the service refuses, is useless.
                if isRefused, table.plans == 0 { return ending.end(.notAuthorised) }
            } catch {
                log.error("\(error)")
            }
        }
        onStatus?(outcome.setbacks.first.map { "\($0)" } ?? stock)
        // Release memory that is needed only for a moment, and not for the hours until the next poll.
        ProcessMemory.giveBack()
        if isFirst { log.info("asleep until it is time to ask again, something changes, or it is ended") }
        isFirst = false
    }

    /// Logs each setback once and not at every poll. Also logs when the service answers again.
    private func report(_ outcome: PollOutcome) {
        for setback in outcome.setbacks where !reported.contains(setback) { log.warning("\(setback)") }
        if !isAnswered, outcome.isAnswered { log.info("the service answers again") }
        reported = outcome.setbacks
        isAnswered = outcome.isAnswered
    }
}

extension PlanTable {
    package func summary(_ tally: Tally) -> String {
        let missing = wanted - images
        return
            "\(plans.counted("upcoming plan")), \(charts.counted("chart")), \(pages.counted("page")), \(images.counted("image")) ready"
            + (missing > 0 ? ", \(missing) missing" : "")
            + "; \(tally.downloaded.counted("chart")) downloaded, \(tally.rendered.counted("image")) drawn"
            + (tally.failed > 0 ? ", \(tally.failed) failed" : "")
    }
}
