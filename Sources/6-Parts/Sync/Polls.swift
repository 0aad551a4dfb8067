package import Model
import PlanningCenter
package import Platform

/// Polls the service, one poll at a time: two at once would open every new file twice.
@LoopActor
package final class Polls {
    private let work: ServicePoll
    /// Closed while nothing new may begin.
    private let gate: Gate
    private let time: any TimeKeeper
    /// Called with the result of each poll.
    private let ended: @LoopActor (PollOutcome) -> Void
    /// Closed while a poll is running.
    private let turn = Gate()
    /// The polls that are running or held back.
    private var tasks: [Int: Task<PollOutcome, Never>] = [:]
    private var count = 0
    /// Since when the service has not answered; `nil` while it answers, and before it was asked.
    package private(set) var offlineSince: Timestamp?

    package init(_ work: ServicePoll, gate: Gate, time: any TimeKeeper, ended: @escaping @LoopActor (PollOutcome) -> Void) {
        self.work = work
        self.gate = gate
        self.time = time
        self.ended = ended
    }

    /// Whether none is running or held back.
    package var isEmpty: Bool { tasks.isEmpty }

    /// Polls once. Ends early with `isCancelled` when its task is cancelled or `cancel` ends all polls; waits while the gate is closed.
    package func poll(_ scope: PollScope) async -> PollOutcome {
        count += 1
        let number = count
        let task = spawn { [self] in
            let outcome = await run(scope)
            tasks[number] = nil
            return outcome
        }
        tasks[number] = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends every poll at once, including one that is held back.
    package func cancel() {
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
    }

    /// Waits until the polls that are under way have ended.
    package func end() async {
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { _ = await task.value }
    }

    private func run(_ scope: PollScope) async -> PollOutcome {
        var mayStart = false
        while !mayStart && !Task.isCancelled {
            await gate.pass()
            await turn.pass()
            mayStart = gate.isOpen && turn.isOpen
        }
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        turn.close()
        defer { turn.open() }
        let outcome = await work.run(scope)
        if !outcome.isCancelled { offlineSince = outcome.isMissed ? offlineSince ?? time.timestamp : nil }
        ended(outcome)
        return outcome
    }
}

extension PollOutcome {
    /// The same outcome, marked as cancelled.
    var cancelled: PollOutcome {
        var outcome = self
        outcome.isCancelled = true
        return outcome
    }
}
