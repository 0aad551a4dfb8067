public import Platform
import Synchronization

/// The answer to one request. For a HEAD, the body is counted but not sent.
public struct WebReply: Sendable {
    public var status: Int
    /// Sent in this order; `Content-Length`, `Date` and `Connection` are added by the server.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// How the body is sent. Tests use other ways than `whole` to check how a client copes.
    public var delivery: Delivery
    /// Called once when the exchange is over, however it ended: on the server's thread, or on the thread of an answer that comes too late.
    public var whenOver: (@Sendable () -> Void)?
    /// Whether the answer is for an admitted guest. The guest's connection then no longer counts as a stranger's.
    public var isForGuest = false
    var source = Source.body

    /// Where the body comes from.
    enum Source: Sendable {
        case body
        case file(ServedFile)
        case events(EventStream)
        case later(@Sendable (Responder) -> Void)
    }

    public init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = [], delivery: Delivery = .whole,
        whenOver: (@Sendable () -> Void)? = nil
    ) { (self.status, self.headers, self.body, self.delivery, self.whenOver) = (status, headers, body, delivery, whenOver) }

    public static func text(status: Int = 200, _ text: String) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    /// An answer with the first `size` bytes of a file, which the kernel sends without our copying them. Valid for one exchange.
    public static func file(_ descriptor: consuming Descriptor, size: Int, headers: [(name: String, value: String)] = []) -> WebReply {
        var reply = WebReply(headers: headers)
        reply.source = .file(ServedFile(descriptor, size: size))
        return reply
    }

    /// An answer of events, until the server or the client ends them. Valid for one exchange.
    public static func events(_ stream: EventStream, headers: [(name: String, value: String)] = []) -> WebReply {
        asItComes(stream, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")] + headers)
    }

    /// An answer of any type, whose body is sent as it is produced. Valid for one exchange.
    public static func asItComes(_ stream: EventStream, headers: [(name: String, value: String)]) -> WebReply {
        var reply = WebReply(headers: headers)
        reply.source = .events(stream)
        return reply
    }

    /// An answer that is given later. `begin` is called on the server's thread, which serves other requests meanwhile.
    public static func later(_ begin: @escaping @Sendable (Responder) -> Void) -> WebReply {
        var reply = WebReply()
        reply.source = .later(begin)
        return reply
    }

    /// Notifies everything that waits for the answer's end that it will not be sent.
    func abandon() {
        if case .events(let stream) = source { stream.end() }
        whenOver?()
    }
}

/// How the body of an answer is sent.
///
/// All cases but `whole` imitate failures of a server or a network, to test how a client copes with them.
public enum Delivery: Sendable, Hashable {
    /// The whole body, as fast as the client reads it.
    case whole
    /// This many bytes at a time, with a pause after each piece.
    case trickle(bytes: Int, every: Duration)
    /// The connection breaks off after this many bytes of the body.
    case brokenOff(after: Int)
    /// `Content-Length` has this value. A longer body is cut off there; after a shorter one, the connection breaks off.
    case announced(length: Int)
    /// Nothing is sent, not even a status. The connection stays open until the server stops.
    case never
}

/// An open file whose descriptor can be taken once.
final class ServedFile: Sendable {
    let size: Int
    private let descriptor: Mutex<Descriptor?>

    init(_ descriptor: consuming Descriptor, size: Int) {
        self.size = size
        self.descriptor = Mutex(descriptor)
    }

    /// The file's descriptor, which the caller then owns; `nil` the second time.
    func take() -> Int32? { descriptor.withLock { $0.take()?.release() } }
}
