/// Lets through while it is open, and holds up while it is closed.
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

    /// Waits until the gate is open; a cancelled task is let go at once, as its own to notice.
    package func pass() async {
        // It may have been closed again before a task that was let through has its turn.
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
