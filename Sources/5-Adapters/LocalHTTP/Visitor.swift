import CMicroHTTPD
import Glibc

/// The clock for deadlines, which stops while the machine sleeps.
typealias Instant = SuspendingClock.Instant

/// One connection, from when it is accepted until it ends. Only the server's thread uses it.
final class Visitor {
    /// The stage of the connection. The first cases are the easiest to spare.
    enum Phase: Int {
        /// There is no request, or one is still arriving.
        case asking
        /// An answer is being sent.
        case served
        /// The connection is held back: its answer is not ready, or its body pauses.
        case held
        /// The answer is a stream of events.
        case streaming
    }

    let connection: OpaquePointer
    let socket: Int32
    /// The client's address; `nil` on a Unix socket.
    let peer: IPAddress?
    /// True until an answer on this connection is for a guest.
    var isStranger = true
    private(set) var phase = Phase.asking
    /// When the phase began.
    private(set) var since = Instant.now
    /// The time by which a request must have arrived, or at which a pause ends.
    var deadline: Instant?
    /// True if libmicrohttpd ignores the connection until it is resumed.
    private(set) var isSuspended = false
    /// True if the connection was resumed since libmicrohttpd last ran. libmicrohttpd does not report this itself.
    var isToGoOn = false
    /// True if the connection is to be closed when libmicrohttpd next handles it.
    private(set) var isCut = false
    /// True if the request's target contains something that no path may contain.
    var hasBadTarget = false
    var exchange: Exchange?

    init(_ connection: OpaquePointer, socket: Int32, peer: IPAddress?) {
        (self.connection, self.socket, self.peer) = (connection, socket, peer)
    }

    /// The strangers among the `others` that may be the same person as this visitor. With IPv6, one person has all addresses of a network.
    func strangersAlike(among others: [Visitor]) -> [Visitor] {
        guard let network = peer?.network else { return [] }
        return others.filter { $0.isStranger && $0.peer?.network == network }
    }

    func enter(_ phase: Phase, deadline: Instant? = nil) { (self.phase, self.deadline, since) = (phase, deadline, .now) }

    /// Makes libmicrohttpd ignore the connection; allowed only in libmicrohttpd's own callbacks.
    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        MHD_suspend_connection(connection)
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        isToGoOn = true
        MHD_resume_connection(connection)
    }

    // POLLRDHUP, which is missing from Swift's Glibc.
    static let goneAway: Int16 = 0x2000

    /// Whether the client has closed the connection.
    var hasGone: Bool {
        var wait = pollfd(fd: socket, events: Self.goneAway, revents: 0)
        return poll(&wait, 1, 0) > 0 && wait.revents != 0
    }

    /// Closes the connection as soon as possible.
    func cut() {
        isCut = true
        deadline = nil
        shutdown(socket, Int32(SHUT_RDWR))
        resume()
    }
}

/// One request, from its arrival until its answer is sent. Only the server's thread uses it.
final class Exchange {
    var request: WebRequest
    /// True if the body is larger than allowed. It is dropped then, and further pieces are only counted.
    var isTooLarge = false
    var received = 0
    /// The answer that arrived through the responder.
    var late: WebReply?
    /// The responder for the late answer. A responder that was released has answered.
    weak var responder: Responder?
    /// The number by which letters refer to this exchange, once it waits or streams.
    var number: Int?
    var stream: EventStream?
    var whenOver: (@Sendable () -> Void)?

    init(_ request: WebRequest) { self.request = request }

    /// Receives a piece of the body; returns `false` if the body is so much too large that the connection is to be cut.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        received += bytes.count
        if received > limit {
            isTooLarge = true
            request.body = []
        } else {
            request.body.append(contentsOf: bytes)
        }
        // Read on, because a 413 can only be sent at the end of the body, but do not read an endless body for ever.
        return received <= 2 * limit + 65536
    }

    /// Reports the end of the exchange to everything that waits for it.
    func end() {
        responder?.gone()
        stream?.end()
        late?.abandon()
        whenOver?()
    }
}
