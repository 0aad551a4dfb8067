package import Model
import PlanningCenter
package import Platform

/// Polls the service, one poll at a time: two concurrent polls would open every new file twice.
@LoopActor
package final class Polls {
    private let parts: SyncParts
    package let downloads: ChartDownloads
    private var isPolling = false
    private let waiting = Waiters()
    /// The polls that are running or waiting.
    private var tasks: [Int: Task<PollOutcome, Never>] = [:]
    private var count = 0
    private var hasEnded = false
    /// Since when no poll has had a usable answer; `nil` while the service answers, even if it refuses the token, and before the
    /// first poll.
    package private(set) var offlineSince: Timestamp?

    package init(_ parts: SyncParts) {
        self.parts = parts
        downloads = ChartDownloads(parts)
    }

    /// Whether no poll is running or waiting.
    package var isEmpty: Bool { tasks.isEmpty }

    /// Waits until no poll is running or waiting.
    package func idle() async { await waiting.wait { isEmpty } }

    /// Polls once; waits while the gate is closed or another poll is running. Ends early with `isCancelled` if its task is
    /// cancelled or `cancel` ends all polls. After `end`, it returns a cancelled outcome immediately.
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

    /// Cancels every poll, including those that are waiting.
    package func cancel() {
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
        waiting.wake()
    }

    /// Cancels all polls, waits until they have ended, and lets no new one begin: a new poll would run at the same time as the
    /// next agent, and find its library closed.
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
        // The gate may have closed meanwhile.
        await parts.gate.pass()
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        let outcome = await ServicePoll(scope, parts: parts, downloads: downloads).run()
        if !outcome.isCancelled { offlineSince = outcome.isMissed ? offlineSince ?? parts.now : nil }
        parts.events?.pollEnded(outcome, isRequested: scope.isRequested)
        return outcome
    }
}

/// Does the work that follows each poll, for one poll after the other, without delaying the next poll.
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
