import LocalHTTP
import Platform

/// The answer to one request, which may take as long as the work takes.
///
/// Quick work gets one plain answer. Longer work is answered with lines of JSON: progress at regular intervals, and the answer at
/// the end. This shows the caller that the agent is working and does not hang, however long the work takes.
@LoopActor
final class AwaitedAnswer {
    private let responder: Responder
    private let rhythm: Duration
    private let alarm: Alarm
    private let progress: @LoopActor () -> ControlProgress
    private var work: Task<Void, Never>?
    /// Created when the answer is first sent as lines.
    private var lines: EventStream?
    /// Called once, when the work is done or the caller has disconnected.
    private var onEnd: (@LoopActor () -> Void)?

    init(_ responder: Responder, every rhythm: Duration, _ time: any TimeKeeper, progress: @escaping @LoopActor () -> ControlProgress) {
        (self.responder, self.rhythm, alarm, self.progress) = (responder, rhythm, Alarm(time), progress)
    }

    /// Runs the work, which is cancelled when the caller disconnects. `onEnd` is called when the work is done, or as soon as the
    /// caller has disconnected: some work cannot be interrupted, and continues.
    func begin(_ reply: @escaping @Sendable @LoopActor () async -> ControlOutcome?, onEnd: @escaping @LoopActor () -> Void) {
        self.onEnd = onEnd
        let work = spawn { [self] in
            let outcome = await reply()
            end()
            if let outcome { finish(outcome) }
            lines?.close()
        }
        self.work = work
        responder.onGone { [weak self] in spawn { self?.leave() } }
        schedule()
    }

    /// Called when the caller has disconnected.
    private func leave() {
        work?.cancel()
        end()
    }

    private func end() {
        alarm.cancel()
        onEnd?()
        onEnd = nil
    }

    private func schedule() {
        alarm.set(in: rhythm) { [self] in
            send(progress().json)
            // Send no more lines to a caller that has disconnected.
            if onEnd != nil { schedule() }
        }
    }

    private func finish(_ outcome: ControlOutcome) {
        // The HTTP status went out with the first line, so a later refusal goes into the last line.
        if lines == nil { responder.answer(outcome.webReply) } else { send(outcome.line) }
    }

    private func send(_ line: [UInt8]) {
        let lines = lines ?? beginLines()
        lines.send(line + Array("\n".utf8))
    }

    private func beginLines() -> EventStream {
        let lines = EventStream(limit: Self.most)
        self.lines = lines
        lines.onClose { [weak self] in spawn { self?.leave() } }
        responder.answer(.asItComes(lines, headers: [("Content-Type", ControlReply.lines), ("Cache-Control", "no-store")]))
        return lines
    }

    /// The most bytes that may wait for a caller that does not read: more than the answer to any command has.
    private static let most = 64 << 20
}
