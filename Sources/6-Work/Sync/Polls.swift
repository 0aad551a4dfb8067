package import Model
import PlanningCenter
package import Platform

/// Polls the service, one poll at a time: two at once would open every new file twice.
@LoopActor
package final class Polls {
    private let parts: SyncParts
    package let downloads: ChartDownloads
    private var isPolling = false
    private let waiting = Waiters()
    /// The polls that are running or held back.
    private var tasks: [Int: Task<PollOutcome, Never>] = [:]
    private var count = 0
    private var hasEnded = false
    /// Since when the service has not answered; `nil` while it answers, and before it was asked.
    package private(set) var offlineSince: Timestamp?

    package init(_ parts: SyncParts) {
        self.parts = parts
        downloads = ChartDownloads(parts)
    }

    /// True if none is running or held back.
    package var isEmpty: Bool { tasks.isEmpty }

    /// Waits until none is running or held back.
    package func idle() async { await waiting.wait { isEmpty } }

    /// Polls once. Ends early with `isCancelled` when its task is cancelled or `cancel` ends all polls, and at once after `end`; waits while
    /// the gate is closed.
    package func poll(_ scope: PollScope) async -> PollOutcome {
        guard !hasEnded else { return PollOutcome().cancelled }
        count += 1
        let number = count
        let task = spawn { [self] in
            let outcome = await run(scope)
            tasks[number] = nil
            waiting.wake()
            return outcome
        }
        tasks[number] = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
            spawn { [waiting] in waiting.wake() }
        }
    }

    /// Ends every poll at once, including those that are held back or wait for their turn.
    package func cancel() {
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
        waiting.wake()
    }

    /// Ends all polls, and waits until they have ended. No new one begins: it would run beside the next agent, and find its library closed.
    package func end() async {
        hasEnded = true
        cancel()
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { _ = await task.value }
    }

    private func run(_ scope: PollScope) async -> PollOutcome {
        await parts.gate.pass()
        while isPolling, !Task.isCancelled { await waiting.wait(unless: { !isPolling || Task.isCancelled }) }
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        isPolling = true
        defer {
            isPolling = false
            waiting.wake()
        }
        // A pause may have begun meanwhile.
        await parts.gate.pass()
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        let outcome = await ServicePoll(scope, parts: parts, downloads: downloads).run()
        if !outcome.isCancelled { offlineSince = outcome.isMissed ? offlineSince ?? parts.now : nil }
        parts.events?.pollEnded(outcome, isRequested: scope.isRequested)
        return outcome
    }
}

/// Does what follows each poll, one poll after the other, without delaying the next poll.
@LoopActor
package final class AfterPolls {
    private let work: @LoopActor (PollOutcome) async -> Void
    private var waiting: [PollOutcome] = []
    private var isWorking = false

    package init(_ work: @escaping @LoopActor (PollOutcome) async -> Void) { self.work = work }

    package func enqueue(_ outcome: PollOutcome) {
        waiting.append(outcome)
        guard !isWorking else { return }
        isWorking = true
        spawn { [self] in
            while !waiting.isEmpty { await work(waiting.removeFirst()) }
            isWorking = false
        }
    }
}
