/// Tasks that wait for a condition, for example that no work is running.
@LoopActor
package final class Waiters {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated init() {}

    /// Waits until `wake` is called; returns immediately if `isSo` returns true.
    package func wait(unless isSo: () -> Bool) async {
        // Check inside the closure, since the task may be suspended between the call and this closure, and `wake` may be called
        // meanwhile.
        await withCheckedContinuation { continuation in
            if isSo() { continuation.resume() } else { waiting.append(continuation) }
        }
    }

    /// Resumes all waiting tasks, in order of arrival.
    package func wake() {
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }
}

/// Lets one caller in at a time, in order of arrival.
///
/// A caller cancelled while waiting keeps its place, since resuming it early would let in two callers. The caller's work must
/// check for a cancellation.
@LoopActor
public final class Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public nonisolated init() {}

    /// Does `work` once no other caller's work is under way.
    public func run<Result, Failure: Error>(
        _ work: @LoopActor () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        defer {
            // `isTaken` stays true while the turn passes to the next caller, so that a new caller cannot get in between.
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        return try await work()
    }
}

/// Lets tasks through while open, and makes them wait while closed.
@LoopActor
package final class Gate {
    package private(set) var isOpen = true
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var nextNumber: UInt64 = 0

    package nonisolated init() {}

    package func close() { isOpen = false }

    package func open() {
        isOpen = true
        let waiting = waiters.sorted { $0.key < $1.key }
        waiters = [:]
        for (_, waiter) in waiting { waiter.resume() }
    }

    /// Waits until the gate is open. Returns immediately if the task is cancelled; the caller must check for a cancellation.
    package func pass() async {
        // Somebody may close the gate again before a resumed task runs.
        while !isOpen && !Task.isCancelled {
            nextNumber += 1
            let number = nextNumber
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if isOpen || Task.isCancelled { continuation.resume() } else { waiters[number] = continuation }
                }
            } onCancel: {
                spawn { [self] in waiters.removeValue(forKey: number)?.resume() }
            }
        }
    }
}

/// Runs `body` for every element, at most `width` (or one) at a time, started in order; returns when all have ended.
@LoopActor
package func concurrently<Element: Sendable>(
    _ elements: [Element], atMost width: Int, _ body: @escaping @Sendable @LoopActor (Element) async -> Void
) async {
    await withTaskGroup(of: Void.self) { group in
        var rest = elements[...]
        for _ in 0..<max(width, 1) {
            guard let next = rest.popFirst() else { break }
            group.addTask { await body(next) }
        }
        while await group.next() != nil {
            guard let next = rest.popFirst() else { continue }
            group.addTask { await body(next) }
        }
    }
}
