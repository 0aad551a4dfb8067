import CMicroHTTPD
import Glibc

/// One connection, from when it is accepted until it ends. Only the server's thread uses it.
final class Visitor {
    /// What it is doing; the phases that are easiest to spare come first.
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
    private(set) var phase = Phase.asking
    /// When its phase began, in nanoseconds of the monotonic clock.
    private(set) var since: Int
    /// By when a request must have arrived, or when a pause is over.
    var deadline: Int?
    /// Whether libmicrohttpd ignores it until it is resumed.
    private(set) var isSuspended = false
    /// Whether it was resumed since libmicrohttpd last ran, which libmicrohttpd does not report by itself.
    var isToGoOn = false
    /// Whether it will be closed as soon as libmicrohttpd looks at it.
    private(set) var isCut = false
    /// Whether its request's target contains something that no path may.
    var hasBadTarget = false
    var exchange: Exchange?

    init(_ connection: OpaquePointer, socket: Int32, now: Int) {
        self.connection = connection
        self.socket = socket
        since = now
    }

    func enter(_ phase: Phase, now: Int, deadline: Int? = nil) {
        self.phase = phase
        self.deadline = deadline
        since = now
    }

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
