/// Lets one in at a time, in the order in which they came.
///
/// Whoever is cancelled while waiting keeps their place and finds out inside: to let them in early would be to let in two.
@LoopActor
public final class Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes turns that nobody has taken.
    public nonisolated init() {}

    /// Does `work` once nobody else is in.
    public func take<Result, Failure: Error>(
        _ work: @LoopActor () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        defer {
            // The turn is handed over, so that nobody gets in between.
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        return try await work()
    }
}
