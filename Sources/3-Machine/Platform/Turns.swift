/// Lets one caller in at a time, in the order in which they came.
///
/// A caller that is cancelled while waiting keeps its place and finds out inside: letting it in early would let in two.
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
            // The turn is handed over directly, so that nobody else gets in between.
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        return try await work()
    }
}
