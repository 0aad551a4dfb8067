public import Platform
import Synchronization

/// The answer to one request. For a HEAD, the body is counted but not sent.
public struct WebReply: Sendable {
    public var status: Int
    /// Sent in this order; `Content-Length`, `Date` and `Connection` are added by the server.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// How the body is sent; whole, unless a test wants to see how a client copes with less.
    public var delivery: Delivery
    /// Called once when the exchange is over, however it ended; on the server's thread.
    public var whenOver: (@Sendable () -> Void)?
    /// It goes to an admitted guest, whose connection is no longer a stranger's from now on.
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

    /// The first `size` bytes of a file, which the kernel sends without our copying them. Good for one exchange.
    public static func file(_ descriptor: consuming Descriptor, size: Int, headers: [(name: String, value: String)] = []) -> WebReply {
        var reply = WebReply(headers: headers)
        reply.source = .file(ServedFile(descriptor, size: size))
        return reply
    }

    /// Events, until one of the sides ends them. Good for one exchange.
    public static func events(_ stream: EventStream, headers: [(name: String, value: String)] = []) -> WebReply {
        asItComes(stream, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")] + headers)
    }

    /// A body of any type that is sent as it comes. Good for one exchange.
    public static func asItComes(_ stream: EventStream, headers: [(name: String, value: String)]) -> WebReply {
        var reply = WebReply(headers: headers)
        reply.source = .events(stream)
        return reply
    }

    /// An answer that comes later: `begin` is called on the server's thread, and other requests are served meanwhile.
    public static func later(_ begin: @escaping @Sendable (Responder) -> Void) -> WebReply {
        var reply = WebReply()
        reply.source = .later(begin)
        return reply
    }

    /// Reports that it will not be sent to everything that waits for its end.
    func abandon() {
        if case .events(let stream) = source { stream.end() }
        whenOver?()
    }
}

/// How the body of an answer is sent.
///
/// All but the first imitate failures of a server or a network, to test how a client copes with them.
public enum Delivery: Sendable, Hashable {
    /// All of it, as fast as the client takes it.
    case whole
    /// This many bytes at a time, with a pause after each piece.
    case trickle(bytes: Int, every: Duration)
    /// The connection breaks off after this many bytes of the body.
    case brokenOff(after: Int)
    /// `Content-Length` has this value. A longer body is cut off there; after a shorter one, the connection breaks off.
    case announced(length: Int)
    /// Nothing at all is sent, not even a status; the connection stays open until the server stops.
    case never
}

/// An open file that is handed over once.
final class ServedFile: Sendable {
    let size: Int
    private let descriptor: Mutex<Descriptor?>

    init(_ descriptor: consuming Descriptor, size: Int) {
        self.size = size
        self.descriptor = Mutex(descriptor)
    }

    /// Its descriptor, which the caller owns from then on; `nil` the second time.
    func take() -> Int32? { descriptor.withLock { $0.take()?.release() } }
}
