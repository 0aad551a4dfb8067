import CMicroHTTPD
import Glibc

/// Deadlines stand still while the machine sleeps.
typealias Instant = SuspendingClock.Instant

/// One connection, from when it is accepted until it ends. Only the server's thread uses it.
final class Visitor {
    /// The stage of the connection; those that are easiest to spare come first.
    enum Phase: Int {
        /// No request, or one that is still arriving.
        case asking
        /// An answer is being sent.
        case served
        /// It is held back: its answer is not known yet, or its body pauses.
        case held
        /// It has a stream of events.
        case streaming
    }

    let connection: OpaquePointer
    let socket: Int32
    /// Where it comes from; `nil` on a Unix socket.
    let peer: IPAddress?
    /// No answer on this connection has been for a guest yet.
    var isStranger = true
    private(set) var phase = Phase.asking
    /// When its phase began.
    private(set) var since = Instant.now
    /// By when a request must have arrived, or when a pause is over.
    var deadline: Instant?
    /// True if libmicrohttpd ignores it until it is resumed.
    private(set) var isSuspended = false
    /// True if it was resumed since libmicrohttpd last ran, which libmicrohttpd does not report by itself.
    var isToGoOn = false
    /// True if it will be closed as soon as libmicrohttpd looks at it.
    private(set) var isCut = false
    /// True if its request's target contains something that no path may.
    var hasBadTarget = false
    var exchange: Exchange?

    init(_ connection: OpaquePointer, socket: Int32, peer: IPAddress?) {
        (self.connection, self.socket, self.peer) = (connection, socket, peer)
    }

    /// The strangers that may be the same person as this one: with version 6, one person has all addresses of a network.
    func strangersAlike(among others: [Visitor]) -> [Visitor] {
        guard let network = peer?.network else { return [] }
        return others.filter { $0.isStranger && $0.peer?.network == network }
    }

    func enter(_ phase: Phase, deadline: Instant? = nil) { (self.phase, self.deadline, since) = (phase, deadline, .now) }

    /// Makes libmicrohttpd ignore it; only allowed in libmicrohttpd's own callbacks.
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

    /// Closes it as soon as possible.
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
    /// True if the body is larger than allowed: the rest of it is counted and dropped.
    var isTooLarge = false
    var received = 0
    /// The answer that was found elsewhere.
    var late: WebReply?
    /// Waits for such an answer; if it is released, it has answered.
    weak var responder: Responder?
    /// The number by which letters refer to it, once it waits or streams.
    var number: Int?
    var stream: EventStream?
    var whenOver: (@Sendable () -> Void)?

    init(_ request: WebRequest) { self.request = request }

    /// Takes a piece of the body; `false` if so much more than allowed has arrived that the connection is to be cut.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        received += bytes.count
        if received > limit {
            isTooLarge = true
            request.body = []
        } else {
            request.body.append(contentsOf: bytes)
        }
        // A 413 can only be sent at the end of the body; but a client that never ends is not read for ever.
        return received <= 2 * limit + 65536
    }

    /// Reports the end to everything that waits for it.
    func end() {
        responder?.gone()
        stream?.end()
        late?.abandon()
        whenOver?()
    }
}
