package import Platform

/// Does what follows after each poll, one poll after the other, without keeping the next poll waiting.
@LoopActor
package final class AfterPolls {
    private let work: @LoopActor (PollOutcome) async -> Void
    private var waiting: [PollOutcome] = []
    private var isWorking = false

    package init(_ work: @escaping @LoopActor (PollOutcome) async -> Void) { self.work = work }

    package func take(_ outcome: PollOutcome) {
        waiting.append(outcome)
        guard !isWorking else { return }
        isWorking = true
        spawn { [self] in
            while !waiting.isEmpty { await work(waiting.removeFirst()) }
            isWorking = false
        }
    }
}
