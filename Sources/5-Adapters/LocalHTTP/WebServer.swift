import Glibc
import Platform
import Synchronization

/// An HTTP/1.1 server on a port or a Unix socket, with one thread of its own that sleeps while there are no requests.
///
/// The handler runs on that thread, one request at a time, and should not block; what takes time is answered with
/// `WebReply.later`. On a port, requests whose `Host` is not a name of this server are answered with 403: a page elsewhere can
/// make a name of its own point here.
public final class WebServer: Sendable {
    /// Answers a request whose body has arrived.
    public typealias Handler = @Sendable (WebRequest) -> WebReply

    /// The port that was bound; 0 for a Unix socket.
    public let port: UInt16

    /// The names by which browsers reach this machine.
    public static let loopbackNames = ["127.0.0.1", "localhost"]

    private let listening: Listening
    private let mailbox: Mailbox
    private let thread: Mutex<pthread_t?>

    /// Starts to listen.
    ///
    /// `hosts` are the names that a request may give as `Host`; a name without a port gets the server's. On a Unix socket they are
    /// not checked, since no page elsewhere can reach it.
    public init(
        listening: Listening, hosts: [String] = loopbackNames, limits: WebLimits = WebLimits(), handler: @escaping Handler
    ) throws(LocalHTTPError) {
        let socket = try listening.open()
        port = Listening.port(of: socket.number)
        self.listening = listening
        let desk: Desk
        switch listening {
        case .port:
            desk = Desk(limits: limits, rules: RequestRules(hosts: hosts, port: port), owner: nil, handler: handler)
        case .unixSocket(_, let owner):
            desk = Desk(limits: limits, rules: RequestRules(hosts: nil, port: 0), owner: owner, handler: handler)
        }
        mailbox = desk.mailbox
        do throws(SystemError) {
            thread = Mutex(try ServerThread.start(desk, listening: socket.release()))
        } catch {
            switch listening {
            case .port(let port, let address): throw .cannotListen(port: port, of: address, cause: error)
            case .unixSocket: throw .cannotListenAt(error)
            }
        }
    }

    /// Starts to listen on a port of 127.0.0.1; port 0 takes any free one.
    public convenience init(
        port: UInt16 = 0, limits: WebLimits = WebLimits(), handler: @escaping Handler
    ) throws(LocalHTTPError) {
        try self.init(listening: .loopback(port: port), limits: limits, handler: handler)
    }

    deinit {
        stop()
    }

    /// Closes all connections and ends the thread; does nothing the second time. The handler must not call it.
    public func stop() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        // So that the next server finds nothing in its way.
        if case .unixSocket(let path, _) = listening { unlink(path) }
        mailbox.post(.stop)
        pthread_join(running, nil)
    }
}
