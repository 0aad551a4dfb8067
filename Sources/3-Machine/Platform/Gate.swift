/// Lets tasks through while it is open, and holds them while it is closed.
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

    /// Waits until the gate is open. A cancelled task is let through at once, and has to notice that by itself.
    package func pass() async {
        // The gate may have been closed again before a task that was let through gets to run.
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
