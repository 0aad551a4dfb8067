import Platform

/// Collapses any number of hints into one more run: a hint during a run makes it run again, ten hints make it run once.
@LoopActor
final class ReconcileHints {
    private var isDue = false
    private var isRunning = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    var isQuiet: Bool { !isDue && !isRunning }

    /// Has `body` run soon, after a run that is under way.
    func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        isDue = true
        guard !isRunning else { return }
        isRunning = true
        spawn { [self] in
            while isDue {
                isDue = false
                await body()
            }
            isRunning = false
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    /// Waits until no hint is left to follow.
    func quiet() async {
        guard !isQuiet else { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}
