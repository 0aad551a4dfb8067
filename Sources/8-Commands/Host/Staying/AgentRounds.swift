package import Agent
import CommandLine
import Library
import Model
package import Platform
import Sync

/// After each poll of a running agent: reports the outcome, makes everything ready, and goes back to sleep.
@LoopActor
package final class AgentRounds {
    private let assembly: AgentAssembly
    private let log: Log
    private let ending: Ending
    private let clock: any TimeKeeper
    private var isOver = false
    private var isFirst = true
    private var told: [Setback] = []
    private var isAnswered = true
    private var stock = ""
    /// Called after each poll with what matters most: what prevented it, or what is here.
    package var onStatus: (@LoopActor (String) -> Void)?

    private var agent: Agent { assembly.agent }
    private var isEnding: Bool { isOver || ending.isOver }

    package init(_ assembly: AgentAssembly, log: Log, clock: any TimeKeeper, ending: Ending) {
        (self.clock, self.assembly, self.log, self.ending) = (clock, assembly, log, ending)
    }

    package func begin(in surroundings: any Surroundings) {
        agent.onChanges { [log] changes in for change in changes { log.info(change.localSentence) } }
        // Charts that are here are made ready at once, whatever the service will answer.
        agent.reconcile()
        agent.beginPolling(in: surroundings) { [weak self] outcome in await self?.finish(outcome) }
    }

    package func end() { isOver = true }

    /// Does all this after a poll with this outcome.
    func finish(_ outcome: PollOutcome) async {
        // The agent is stopping, and the user knows that the work is not done.
        guard !isEnding else { return }
        tell(outcome)
        // Trouble with the service is reported before everything is drawn.
        if let setback = outcome.setbacks.first { onStatus?("\(setback)") }
        // If the socket's folder is not watched, its loss is found here.
        assembly.keepControl()
        agent.reconcile()
        await agent.settled()
        guard !isEnding else { return }
        await assembly.telling.notify(after: outcome)
        guard !isEnding else { return }
        await agent.backUpCatalogue()
        guard !isEnding else { return }
        if assembly.couldKeepMore {
            log.info("\(assembly.data) is writable again")
            return ending.interrupt()
        }
        let (isNews, isRefused) = (isFirst || !outcome.changes.isEmpty, outcome.reach == .notAuthorised)
        // Hardly any poll brings news, and taking stock of a large library holds up everything else for a moment.
        if isNews || isRefused {
            do {
                let table = try await agent.planTable()
                stock = table.summary(agent.tally)
                if isNews { log.info(stock) }
                // With nothing to show and a service that refuses us, there is no point in staying.
                if isRefused, table.plans == 0 { return ending.end(.notAuthorised) }
            } catch {
                log.error("\(error)")
            }
        }
        onStatus?(outcome.setbacks.first.map { "\($0)" } ?? stock)
        // Memory that a round needs for moments is not kept for the hours until the next.
        ProcessMemory.giveBack()
        if isFirst { log.info("asleep until the next poll, a change, or SIGTERM") }
        isFirst = false
    }

    /// Logs each setback once instead of at every poll, and logs when the service answers again.
    private func tell(_ outcome: PollOutcome) {
        for setback in outcome.setbacks where !told.contains(setback) { log.warning("\(setback)") }
        if !isAnswered, outcome.isAnswered { log.info("the service answers again") }
        told = outcome.setbacks
        isAnswered = outcome.isAnswered
    }
}

extension PlanTable {
    package func summary(_ tally: Tally) -> String {
        let missing = wanted - images
        return
            "\(plans.counted("upcoming plan")), \(charts.counted("chart")), \(pages.counted("page")), \(images.counted("image")) ready"
            + (missing > 0 ? ", \(missing) missing" : "")
            + "; \(tally.downloaded.counted("chart")) downloaded, \(tally.rendered.counted("image")) rendered"
            + (tally.failed > 0 ? ", \(tally.failed) failed" : "")
    }
}
