/// Tasks that wait for some state, such as that nothing is going on any more.
@LoopActor
package final class Waiters {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated init() {}

    /// Waits until `wake` is called; not at all if `isSo` already holds.
    package func wait(unless isSo: () -> Bool) async {
        // Checked in here, since a task may be queued again between a check and the wait.
        await withCheckedContinuation { continuation in
            if isSo() { continuation.resume() } else { waiting.append(continuation) }
        }
    }

    /// Lets all of them continue, in the order in which they came.
    package func wake() {
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }
}
