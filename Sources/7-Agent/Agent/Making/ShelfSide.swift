import Platform

/// Runs questions to a folder that may be on a network and hang. They run on a side thread, so nothing else waits behind them; an
/// answer that takes too long is noticed.
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

    /// Asks one question, which may take any time. Callers ask one at a time.
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

    /// Shortens the patience: the agent stops.
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
