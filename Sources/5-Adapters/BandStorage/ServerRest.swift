import Glibc
import Model
public import Platform

/// The pause that a server asked for. It applies to all processes of this home, the agent and commands, whichever made the request.
@LoopActor
public final class ServerRest {
    private let file: String?
    private let time: any TimeKeeper
    private var pause = GrowingPause(first: .seconds(60), most: ServerRest.longest)
    /// When the server last asked for a pause.
    private var askedAt: Moment?
    /// The end of the pause as this process wrote it to the file.
    private var noted: Timestamp?

    /// A server that asks for a longer pause is still tried once an hour.
    private nonisolated static let longest: Duration = .seconds(3600)

    /// Keeps the end of the pause in `file`, if given. If the file cannot be written, other processes do not know of the pause.
    public nonisolated init(_ file: String? = nil, time: any TimeKeeper) { (self.file, self.time) = (file, time) }

    /// How long the server is still to be left alone; `nil` if a request may be made.
    var rest: Duration? { pause.rest(at: time.now) ?? recorded }

    /// What is left of the pause in the file, which any process may have written; `nil` if less than a second is left, or more than
    /// `longest`, because a clock was wrong.
    private var recorded: Duration? {
        guard let end = recordedEnd else { return nil }
        let rest = end - time.timestamp
        return (.seconds(1)...Self.longest).contains(rest) ? rest : nil
    }

    private var recordedEnd: Timestamp? {
        guard let file, let bytes = try? AtomicFile.read(file, limit: 64) else { return nil }
        return Timestamp(String(decoding: bytes, as: UTF8.self).trimmingEnd)
    }

    /// Records that an answer asked for a pause, of at most an hour. If the answer names no time, the pause grows with each such answer.
    func note(_ asked: Duration?) {
        let rest = pause.fail(at: time.now, asked: asked.map { min($0, Self.longest) })
        askedAt = time.now
        guard let file else { return }
        try? Folder.create(Folder.parent(of: file))
        noted = Timestamp((time.timestamp + rest).wholeSecond)
        try? AtomicFile.write("\(noted ?? time.timestamp)\n", to: file)
    }

    /// Ends the pause after an answer that asks for none. `asked` is when the request was made. The answer does not count if the
    /// server asked for the pause after that time.
    func end(asked: Moment) {
        if let askedAt, asked <= askedAt { return }
        guard pause.failures > 0 else { return }
        pause.succeed()
        // Keep a pause that another process has recorded meanwhile.
        if let file, recorded == nil || recordedEnd == noted { unlink(file) }
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(prefix { !$0.isNewline }) }
}
