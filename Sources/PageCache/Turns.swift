import Platform

/// Lets one in at a time, in the order in which they came.
@LoopActor
final class Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    /// Does `work` once nobody else is in.
    func take<Result>(_ work: @LoopActor () async -> Result) async -> Result {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        defer {
            // The turn is handed over, so that nobody gets in between.
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        return await work()
    }
}
