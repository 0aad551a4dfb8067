import CMicroHTTPD
import Glibc

/// One connection, from its acceptance to its end. The server's thread alone touches it.
final class Visitor {
    /// What it is at; those that can best be spared first.
    enum Phase: Int {
        /// Nothing is asked, or a request is on its way.
        case asking
        /// An answer is being sent.
        case served
        /// It is held back: its answer is yet to be found, or its body pauses.
        case held
        /// It has a stream of events.
        case streaming
    }

    let connection: OpaquePointer
    let socket: Int32
    private(set) var phase = Phase.asking
    /// When it came into its phase, in nanoseconds of the monotonic clock.
    private(set) var since: Int
    /// When a request has to have arrived, or a pause is over.
    var deadline: Int?
    /// Whether libmicrohttpd leaves it alone until it is told otherwise.
    private(set) var isSuspended = false
    /// Whether it was let go on since libmicrohttpd ran last, which does not tell of that by itself.
    var isToGoOn = false
    /// It is to be closed as soon as libmicrohttpd looks at it.
    private(set) var isCut = false
    /// Whether the target of its request holds what no path may.
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

    /// Has libmicrohttpd leave it alone; in its own callbacks only.
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

    /// Closes it as soon as may be.
    func cut() {
        isCut = true
        deadline = nil
        shutdown(socket, Int32(SHUT_RDWR))
        resume()
    }
}
