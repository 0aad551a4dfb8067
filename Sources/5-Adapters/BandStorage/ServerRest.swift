import Glibc
import Model
public import Platform

/// Until when a server wants to be left alone, whichever process of this home it asked: the agent or a command.
@LoopActor
public final class ServerRest {
    private let file: String?
    private let time: any TimeKeeper
    private var pause = GrowingPause(first: .seconds(60), most: ServerRest.longest)
    /// When it asked for that.
    private var askedAt: Moment?
    /// The end of the rest as this process wrote it to the file.
    private var noted: Timestamp?

    /// Whoever asks for more is asked once an hour whether that still holds.
    private nonisolated static let longest: Duration = .seconds(3600)

    /// Keeps the end of the rest in this `file`, if any; where that cannot be written, other processes do not know it.
    public nonisolated init(_ file: String? = nil, time: any TimeKeeper) { (self.file, self.time) = (file, time) }

    /// How long it is still to be left alone; `nil` if it may be asked.
    var rest: Duration? { pause.rest(at: time.now) ?? said }

    /// The rest that another process noted. However wrong a clock was, it never exceeds the longest that is believed here.
    private var said: Duration? {
        guard let end = saidEnd else { return nil }
        let rest = end - time.timestamp
        return (.seconds(1)...Self.longest).contains(rest) ? rest : nil
    }

    private var saidEnd: Timestamp? {
        guard let file, let bytes = try? AtomicFile.read(file, limit: 64) else { return nil }
        return Timestamp(String(decoding: bytes, as: UTF8.self).trimmingEnd)
    }

    /// Notes the rest that an answer asked for; if it gives no time, the rest grows with every answer.
    func note(_ asked: Duration?) {
        let rest = pause.fail(at: time.now, asked: asked.map { min($0, Self.longest) })
        askedAt = time.now
        guard let file else { return }
        try? Folder.create(Folder.parent(of: file))
        noted = Timestamp((time.timestamp + rest).wholeSecond)
        try? AtomicFile.write("\(noted ?? time.timestamp)\n", to: file)
    }

    /// Notes a good answer to a request that was `asked` at that moment: a request from before the rest proves nothing about it.
    func end(asked: Moment) {
        if let askedAt, asked <= askedAt { return }
        guard pause.failures > 0 else { return }
        pause.succeed()
        // What another process was told meanwhile holds.
        if let file, said == nil || saidEnd == noted { unlink(file) }
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(prefix { !$0.isNewline }) }
}
