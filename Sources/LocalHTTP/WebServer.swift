import CMicroHTTPD
import Glibc
import Platform
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 with one thread of its own that sleeps while nobody asks.
///
/// The handler runs on that thread, one request at a time, and should not block. Requests whose `Host` is not a name of this
/// machine are answered 403: a page elsewhere can point a name of its own at 127.0.0.1.
public final class WebServer: Sendable {
    /// Answers a request whose body has arrived.
    public typealias Handler = @Sendable (WebRequest) -> WebReply

    /// The port that was bound.
    public let port: UInt16

    private struct Daemon: @unchecked Sendable {
        // libmicrohttpd's functions on a daemon may be called from any thread.
        let raw: OpaquePointer
    }

    private let daemon: Mutex<Daemon?>
    // The daemon points at it, so it lives as long.
    private let desk: Desk

    /// Starts to listen; port 0 takes any that is free.
    public init(
        port: UInt16 = 0, limits: WebLimits = WebLimits(), handler: @escaping Handler
    ) throws(LocalHTTPError) {
        let desk = Desk(bodyLimit: limits.body, handler: handler)
        guard let raw = Self.start(port: port, limits: limits, desk: desk) else {
            throw .cannotListen(port: port, cause: SystemError("listen"))
        }
        self.desk = desk
        self.port = woodshed_mhd_port(raw)
        daemon = Mutex(Daemon(raw: raw))
    }

    deinit {
        stop()
    }

    /// Closes every connection and ends the thread; does nothing the second time. Not to be called by the handler.
    public func stop() {
        let daemon = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        guard let daemon else { return }
        // libmicrohttpd gives up on the whole program when it is stopped with a connection held back.
        desk.pauses.end()
        MHD_stop_daemon(daemon.raw)
    }

    private static func start(port: UInt16, limits: WebLimits, desk: Desk) -> OpaquePointer? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_EPOLL.rawValue | MHD_USE_ITC.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
        return withUnsafeMutablePointer(to: &address) { address in
            let options = [
                MHD_OptionItem(option: .SOCK_ADDR, value: 0, ptr_value: UnsafeMutableRawPointer(address)),
                MHD_OptionItem(option: .CONNECTION_LIMIT, value: limits.connections, ptr_value: nil),
                MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: limits.connectionMemory, ptr_value: nil),
                MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: Int(limits.idle.components.seconds), ptr_value: nil),
                MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
            ]
            return woodshed_mhd_start(flags, port, Desk.access, Unmanaged.passUnretained(desk).toOpaque(), Desk.completed, options)
        }
    }
}
