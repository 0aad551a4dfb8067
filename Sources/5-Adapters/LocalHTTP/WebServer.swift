import Glibc
public import Model
import Platform
import Synchronization

/// An HTTP/1.1 server on a port or a Unix socket, with one thread of its own that sleeps while there are no requests.
///
/// The handler runs on that thread, one request at a time, and should not block; slow answers are given with `WebReply.later`. On a
/// port, a request whose `Host` is not a name of this server is answered with 403: any web page can make a name of its own point here.
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
    /// `hosts` are the accepted values of `Host`; a name without a port is completed with the server's. On a Unix socket they are
    /// not checked, since no web page can reach it. `ports` keeps the port taken after the server's end.
    public init(
        listening: Listening, hosts: [String] = loopbackNames, limits: WebLimits = WebLimits(), ports: HeldPorts? = nil,
        handler: @escaping Handler
    ) throws(Trouble) {
        let socket = try listening.open(ports)
        port = Listening.port(of: socket.number)
        self.listening = listening
        let connections: Connections
        switch listening {
        case .port:
            connections = Connections(limits: limits, rules: RequestRules(hosts: hosts, port: port), owner: nil, handler: handler)
        case .unixSocket(_, let owner):
            connections = Connections(limits: limits, rules: RequestRules(hosts: nil, port: 0), owner: owner, handler: handler)
        }
        mailbox = connections.mailbox
        do throws(SystemError) {
            thread = Mutex(try ServerThread.start(connections, listening: socket.release()))
        } catch {
            switch listening {
            case .port(let port, let address): throw .cannotListen(port: port, of: address, cause: error)
            case .unixSocket: throw Trouble("\(error)")
            }
        }
    }

    /// Starts to listen on a port of 127.0.0.1; port 0 takes any free one.
    public convenience init(
        port: UInt16 = 0, limits: WebLimits = WebLimits(), handler: @escaping Handler
    ) throws(Trouble) { try self.init(listening: .loopback(port: port), limits: limits, handler: handler) }

    deinit { stop() }

    /// Closes all connections and ends the thread; does nothing the second time. The handler must not call it.
    public func stop() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        // Remove the socket from the file system, so that it is not in the way of the next server.
        if case .unixSocket(let path, _) = listening { unlink(path) }
        mailbox.post(.stop)
        pthread_join(running, nil)
    }
}

/// A server's limits for its clients.
public struct WebLimits: Sendable {
    /// Connections open at the same time. To admit another one, the connection needed least is closed. Default 64.
    public var connections: Int
    /// How many connections without an answer for a guest may come from one IPv4 address or IPv6 network. Default: all.
    public var strangers: Int
    /// Bytes for one connection's head and buffers; a longer head is answered with 431 or 414. Default 64 KiB.
    public var connectionMemory: Int
    /// Bytes of one request's body; anything larger is answered with 413. Default 8 MiB.
    public var body: Int
    /// A connection without any traffic for this long is closed; whole seconds. Default 30 s.
    public var idle: Duration
    /// How long a request may take to arrive, however steadily it trickles in, before its connection is cut. Default 20 s.
    public var arrival: Duration
    /// Event streams open at the same time; another one is answered with 503. Default 16.
    public var eventStreams: Int

    public init(
        connections: Int = 64, strangers: Int = .max, connectionMemory: Int = 64 << 10, body: Int = 8 << 20,
        idle: Duration = .seconds(30), arrival: Duration = .seconds(20), eventStreams: Int = 16
    ) {
        (self.connections, self.strangers, self.connectionMemory, self.body) = (connections, strangers, connectionMemory, body)
        (self.idle, self.arrival, self.eventStreams) = (idle, arrival, eventStreams)
    }
}

extension Trouble {
    /// The port is taken or not allowed, or the system has no more sockets or threads.
    static func cannotListen(port: UInt16, of address: IPAddress, cause: SystemError) -> Trouble {
        let sentence =
            port == 0
            ? "cannot start a local web server: \(cause)" : "cannot listen on port \(port) of \(address): \(cause); choose another port"
        return Trouble(cause.code == EADDRINUSE ? .inTheWay : .other, sentence)
    }
}
