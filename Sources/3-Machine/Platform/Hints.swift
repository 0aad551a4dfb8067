/// Turns any number of hints into one more run: whether one hint comes during a run or ten, it runs once more.
@LoopActor
package final class Hints {
    /// Whether a run has been asked for and has not begun.
    package private(set) var isDue = false
    private var isRunning = false
    private let waiters = Waiters()

    package nonisolated init() {}

    package var isQuiet: Bool { !isDue && !isRunning }

    /// Runs `body` soon, after a run that is under way.
    package func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        isDue = true
        guard !isRunning else { return }
        isRunning = true
        spawn { [self] in
            while isDue {
                isDue = false
                await body()
            }
            isRunning = false
            waiters.wake()
        }
    }

    /// Waits until no hint is left to follow.
    package func quiet() async {
        await waiters.wait { isQuiet }
    }
}
