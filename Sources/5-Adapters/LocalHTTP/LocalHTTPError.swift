import Glibc
public import Platform

/// Why a local server could not be started.
public enum LocalHTTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The port is taken or not allowed, or the system has no more sockets or threads.
    case cannotListen(port: UInt16, of: IPAddress, cause: SystemError)
    /// The socket cannot be created in the file system, or another program listens there.
    case cannotListenAt(SystemError)
    /// The path is too long for a socket.
    case pathTooLong(String)

    /// Whether somebody else listens on the port, so that another one may do.
    public var isPortTaken: Bool {
        if case .cannotListen(_, _, let cause) = self { cause.code == EADDRINUSE } else { false }
    }

    public var description: String {
        switch self {
        case .cannotListen(0, _, let cause): "cannot start a local web server: \(cause)"
        case .cannotListen(let port, let address, let cause): "cannot listen on port \(port) of \(address): \(cause); choose another port"
        case .cannotListenAt(let cause): cause.description
        case .pathTooLong(let path):
            "the path of a socket may have at most \(UnixAddress.longestPath) bytes, but \(path) has \(path.utf8.count)"
        }
    }
}
