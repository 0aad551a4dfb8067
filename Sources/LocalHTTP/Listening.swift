public import Glibc
import Platform

/// Where a server is to be found.
public enum Listening: Sendable, Hashable {
    /// A port of 127.0.0.1; 0 takes any that is free.
    case loopback(port: UInt16 = 0)
    /// A socket in the file system, of mode 0600, for processes of one user: those of another are turned away without a word.
    ///
    /// A socket that lies there and at which nobody listens is replaced. The folder has to be there, and to be `owner`'s own.
    case unixSocket(path: String, owner: UInt32 = geteuid())

    /// Begins to listen.
    func open() throws(LocalHTTPError) -> Descriptor {
        switch self {
        case .loopback(let port): try Self.open(port: port)
        case .unixSocket(let path, _): try Self.open(path: path)
        }
    }

    /// The port of a socket that listens; 0 where it has none.
    static func port(of socket: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : 0
    }

    private static func socket(_ family: Int32) -> Int32 {
        Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }

    private static func open(port: UInt16) throws(LocalHTTPError) -> Descriptor {
        let number = socket(AF_INET)
        guard number >= 0 else { throw .cannotListen(port: port, cause: SystemError("make a socket")) }
        let descriptor = Descriptor(owning: number)
        var yes: Int32 = 1
        // What a former server's connections leave behind does not keep the port.
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, listen(number, SOMAXCONN) == 0 else {
            throw .cannotListen(port: port, cause: SystemError("listen"))
        }
        return descriptor
    }

    private static func open(path: String) throws(LocalHTTPError) -> Descriptor {
        guard let address = UnixAddress(path) else { throw .pathTooLong(path) }
        try clear(address, path)
        let number = socket(AF_UNIX)
        guard number >= 0 else { throw .cannotListenAt(SystemError("make a socket", path: path)) }
        let descriptor = Descriptor(owning: number)
        // Nobody reaches it before it listens, so nobody sees it with the mode that it is made with.
        guard address.call(bind, number) == 0, chmod(path, 0o600) == 0, listen(number, SOMAXCONN) == 0 else {
            throw .cannotListenAt(SystemError("listen at", path: path))
        }
        return descriptor
    }

    /// Takes away what a dead server left.
    private static func clear(_ address: UnixAddress, _ path: String) throws(LocalHTTPError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .cannotListenAt(SystemError("listen at", path: path, code: EEXIST)) }
        let number = socket(AF_UNIX)
        guard number >= 0 else { throw .cannotListenAt(SystemError("make a socket", path: path)) }
        defer { close(number) }
        // A server whose queue is full is there, too.
        guard address.call(connect, number) != 0, errno == ECONNREFUSED else {
            throw .cannotListenAt(SystemError("listen at", path: path, code: EADDRINUSE))
        }
        unlink(path)
    }
}
