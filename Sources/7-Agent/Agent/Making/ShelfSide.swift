import Platform

/// Asks a folder that may be on a network and hang: beside the loop, so that nothing else waits behind it, and noticing an answer that
/// takes too long.
@LoopActor
final class ShelfSide {
    private let alarm: Alarm
    private let thread: SideThread
    private var isEnding = false
    /// Whether an answer takes so long that none may ever come.
    private(set) var isHanging = false
    /// Called when the folder begins to hang.
    var hangs: () -> Void = {}

    /// Enough to copy a large PDF to a slow stick.
    static let patience = Duration.seconds(30)
    /// As above, while the agent stops.
    static let lastPatience = Duration.seconds(2)

    init(time: any TimeKeeper, isInline: Bool) {
        alarm = Alarm(time)
        thread = SideThread(inline: isInline)
    }

    /// Asks one question, which may take any time. There is only one at a time.
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

    /// Has less patience from now on: the agent stops.
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
