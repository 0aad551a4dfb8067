import LocalHTTP
import Platform

/// The answer to one request, which may take as long as the work does.
///
/// Quick work gets one plain answer. Longer work is answered with lines of JSON: progress again and again, and the answer at the end. So
/// a caller can tell an agent that is working from one that hangs, however long the work takes.
@LoopActor
final class AwaitedAnswer {
    private let responder: Responder
    private let rhythm: Duration
    private let alarm: Alarm
    private let progress: @LoopActor () -> ControlProgress
    private var work: Task<Void, Never>?
    /// Exists once the answer is sent as lines.
    private var lines: EventStream?
    /// Called once, when the caller has its answer or has gone.
    private var onEnd: (@LoopActor () -> Void)?

    init(_ responder: Responder, every rhythm: Duration, _ time: any TimeKeeper, progress: @escaping @LoopActor () -> ControlProgress) {
        (self.responder, self.rhythm, alarm, self.progress) = (responder, rhythm, Alarm(time), progress)
    }

    /// Does the work, which is cancelled when the caller goes away. Not all work can be broken off, so `onEnd` is called as soon as the
    /// caller is gone, however long the work goes on; otherwise when it is done.
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

    /// The caller has gone.
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
            // A caller that has gone meanwhile gets no more lines.
            if onEnd != nil { schedule() }
        }
    }

    private func finish(_ outcome: ControlOutcome) {
        // The HTTP status was sent with the first line; a later refusal is sent in the last line.
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

    /// More than any command answers.
    private static let most = 64 << 20
}
