import Platform

/// What is asked of a folder that may be on a network and hang: beside the loop, so that nothing else waits behind it, and noticed when
/// the answer takes too long.
@LoopActor
final class ShelfSide {
    private let time: any TimeKeeper
    private let thread: SideThread
    private var timer: TimerID?
    private var isEnding = false
    /// Whether an answer takes so long that none may ever come.
    private(set) var isHanging = false
    /// Is called when it begins to hang.
    var hangs: () -> Void = {}

    /// Enough to copy a large PDF to a slow stick.
    static let patience = Duration.seconds(30)
    /// As above, while the agent stops.
    static let lastPatience = Duration.seconds(2)

    init(time: any TimeKeeper, isInline: Bool) {
        self.time = time
        thread = SideThread(inline: isInline)
    }

    /// Asks one question, which may wait for as long as it likes. There is only one at a time.
    func run<Answer: Sendable, Failure: Error>(
        _ question: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        if thread.isInline { return try question() }
        wait(for: isEnding ? Self.lastPatience : Self.patience)
        defer {
            forgetTimer()
            isHanging = false
        }
        return try await thread.run(question)
    }

    /// Has less patience from now on: the agent stops.
    func hurry() {
        isEnding = true
        if timer != nil { wait(for: Self.lastPatience) }
    }

    private func wait(for patience: Duration) {
        forgetTimer()
        timer = time.schedule(at: time.now + patience) { [weak self] in
            guard let self else { return }
            timer = nil
            isHanging = true
            hangs()
        }
    }

    private func forgetTimer() {
        if let timer { time.cancel(timer) }
        timer = nil
    }
}
