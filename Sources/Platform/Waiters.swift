/// Those who wait until something is so, as that nothing goes on any more.
@LoopActor
package final class Waiters {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated init() {}

    /// Waits until `wake` is called; not at all where it is so already.
    package func wait(unless isSo: () -> Bool) async {
        // Looked at inside, since a task may be queued again between a look and the wait.
        await withCheckedContinuation { continuation in
            if isSo() { continuation.resume() } else { waiting.append(continuation) }
        }
    }

    /// Lets all go on, in the order in which they came.
    package func wake() {
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }
}
