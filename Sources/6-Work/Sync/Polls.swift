import Catalogue
import Library
package import Model
import PlanningCenter
package import Platform

/// Polls the service, one poll at a time: two concurrent polls would open every new file twice.
@LoopActor
package final class Polls {
    private let parts: SyncParts
    package let downloads: ChartDownloads
    /// `nil` where only the service is measured or tested; an agent looks for songs in the music folder, too.
    package let sets: SetKeeper?
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
        let downloads = ChartDownloads(parts)
        self.downloads = downloads
        sets = parts.sets.map { SetKeeper(parts, $0, downloads: downloads) }
        guard parts.service == nil else { return }
        // The folders are all there is to ask, so each look at them counts as an answer.
        sets?.onLooked = { [weak self] in self?.noteSets(isRequested: false) }
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

    /// Cancels all polls, waits until they and the looks at the folders have ended, and lets no new one begin: a new poll would run at the
    /// same time as the next agent, and find its library closed.
    package func end() async {
        hasEnded = true
        sets?.end()
        cancel()
        for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { _ = await task.value }
        await sets?.quiet()
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
        await seeWhatPassed(isRequested: scope.isRequested)
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        // The musician's own folders answer at once, so they need not wait for the service.
        await sets?.lookNow()
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        var outcome = PollOutcome()
        if let service = parts.service {
            outcome = await ServicePoll(scope, of: service, parts: parts, downloads: downloads).run()
            // A list may name charts of plans that have just arrived.
            if !outcome.changes.isEmpty, !Task.isCancelled { await sets?.lookNow() }
        } else {
            noteSets(isRequested: scope.isRequested)
        }
        outcome.setbacks += sets?.setbacks ?? []
        outcome.changes += sets?.takeChanges() ?? []
        if !outcome.isCancelled { offlineSince = outcome.isMissed ? offlineSince ?? parts.now : nil }
        parts.events?.pollEnded(outcome, isRequested: scope.isRequested)
        return outcome
    }

    /// Checks which problems may have passed; a poll that a person requested tries everything as if nothing had ever failed.
    private func seeWhatPassed(isRequested: Bool) async {
        parts.events?.pollBegins(isRequested: isRequested)
        do {
            try await readTouchedFiles()
        } catch {
            parts.log.error("\(error)")
        }
    }

    /// Reads those charts' files that were touched since they were last read. A chart that a program saved over through its link in
    /// the music folder is detected in this way, and is fetched again.
    private func readTouchedFiles() async throws(LibraryError) {
        // How many files' results are saved together.
        let most = 16
        var due = try parts.library.charts.chartFilesToRead()[...]
        while !due.isEmpty, !Task.isCancelled {
            let some = due.prefix(most)
            due = due.dropFirst(some.count)
            try parts.library.charts.note(await parts.side.run { ChartStore.read(some) })
        }
    }

    /// Records that the musician's own folders, from which all plans come, were read completely.
    private func noteSets(isRequested: Bool) {
        guard let sets else { return }
        do throws(LibraryError) {
            guard sets.hasAll else {
                let reason = sets.setbacks.first.map { "\($0)" } ?? "a file is still being written"
                return try parts.library.service.note(failing: FailingPolls(since: parts.now, reason: reason))
            }
            try parts.library.recordPoll(at: parts.now, now: isRequested)
            try parts.library.service.note(failing: nil)
            if let settings = parts.asked { try parts.library.service.recordAsked(with: settings) }
            parts.catalogue.noteToldAll()
        } catch {
            parts.log.warning("\(error)")
        }
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
