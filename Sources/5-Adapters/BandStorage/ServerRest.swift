import Glibc
import Model
public import Platform

/// How long a server wants to be left alone, regardless of which process of this home made the request: the agent or a command.
@LoopActor
public final class ServerRest {
    private let file: String?
    private let time: any TimeKeeper
    private var pause = GrowingPause(first: .seconds(60), most: ServerRest.longest)
    /// When the server asked for the rest.
    private var askedAt: Moment?
    /// The end of the rest as this process wrote it to the file.
    private var noted: Timestamp?

    /// A server that asks for a longer rest is still tried once an hour.
    private nonisolated static let longest: Duration = .seconds(3600)

    /// Keeps the end of the rest in `file`, if given. If the file cannot be written, other processes do not respect the rest.
    public nonisolated init(_ file: String? = nil, time: any TimeKeeper) { (self.file, self.time) = (file, time) }

    /// How long the server is still to be left alone; `nil` if a request may be made.
    var rest: Duration? { pause.rest(at: time.now) ?? said }

    /// The rest that another process wrote to the file; `nil` if it exceeds `longest`, as it may if a clock was wrong.
    private var said: Duration? {
        guard let end = saidEnd else { return nil }
        let rest = end - time.timestamp
        return (.seconds(1)...Self.longest).contains(rest) ? rest : nil
    }

    private var saidEnd: Timestamp? {
        guard let file, let bytes = try? AtomicFile.read(file, limit: 64) else { return nil }
        return Timestamp(String(decoding: bytes, as: UTF8.self).trimmingEnd)
    }

    /// Records the rest that an answer asked for. Without a time in the answer, the rest grows with each such answer.
    func note(_ asked: Duration?) {
        let rest = pause.fail(at: time.now, asked: asked.map { min($0, Self.longest) })
        askedAt = time.now
        guard let file else { return }
        try? Folder.create(Folder.parent(of: file))
        noted = Timestamp((time.timestamp + rest).wholeSecond)
        try? AtomicFile.write("\(noted ?? time.timestamp)\n", to: file)
    }

    /// Ends the rest after an answer that asks for none. A request made before the rest, at `asked`, proves nothing about it.
    func end(asked: Moment) {
        if let askedAt, asked <= askedAt { return }
        guard pause.failures > 0 else { return }
        pause.succeed()
        // Keep a rest that another process has recorded meanwhile.
        if let file, said == nil || saidEnd == noted { unlink(file) }
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(prefix { !$0.isNewline }) }
}
