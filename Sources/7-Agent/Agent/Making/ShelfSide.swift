import Platform

/// Runs questions about a folder that may be on a network and may stop answering. The questions run on a side thread, so that
/// nothing else waits behind them. `isHanging` shows that an answer takes too long.
@LoopActor
final class ShelfSide {
    private let alarm: Alarm
    private let thread: SideThread
    private var isEnding = false
    /// Whether an answer takes so long that it may never come.
    private(set) var isHanging = false
    /// Called when the folder starts to hang.
    var hangs: () -> Void = {}

    /// How long an answer may take: enough to copy a large PDF to a slow stick.
    static let patience = Duration.seconds(30)
    /// How long an answer may take while the agent stops.
    static let lastPatience = Duration.seconds(2)

    init(time: any TimeKeeper, isInline: Bool) {
        alarm = Alarm(time)
        thread = SideThread(inline: isInline)
    }

    /// Runs one question, which may take any time. Callers run only one question at a time.
    func run<Answer: Sendable, Failure: Error>(
        _ question: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        if thread.isInline { return try question() }
        wait(for: isEnding ? Self.lastPatience : Self.patience)
        defer {
            alarm.cancel()
            isHanging = false
        }
        return try await thread.run(question)
    }

    /// Shortens the time limit for answers, because the agent is stopping.
    func hurry() {
        isEnding = true
        if alarm.isSet { wait(for: Self.lastPatience) }
    }

    private func wait(for patience: Duration) {
        alarm.set(in: patience) { [weak self] in
            self?.isHanging = true
            self?.hangs()
        }
    }
}
