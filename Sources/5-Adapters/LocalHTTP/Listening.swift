public import Glibc
public import Model
public import Platform

/// Where a server listens.
public enum Listening: Sendable, Hashable {
    /// A port of an address of this machine; 0 takes any free one. If the machine gets the address only later, the port works from then on.
    case port(UInt16, of: IPAddress)
    /// A socket in the file system, with mode 0600, for one user's processes. Other users' processes are disconnected without an answer.
    ///
    /// An existing socket is replaced if no program listens there. The folder must exist and belong to `owner`.
    case unixSocket(path: String, owner: UInt32 = geteuid())

    /// A port of 127.0.0.1; 0 takes any free one.
    public static func loopback(port: UInt16 = 0) -> Listening { .port(port, of: .loopback) }

    /// Opens a listening socket, or takes a former process's from `ports`.
    func open(_ ports: HeldPorts?) throws(Trouble) -> Descriptor {
        switch self {
        case .port(let port, let address):
            guard let ports else { return try Self.open(port: port, of: address) }
            return try ports.listen(port: port, of: address)
        case .unixSocket(let path, _): return try Self.open(path: path)
        }
    }

    /// Keeps other programs from listening at this port of an address while the descriptor is open.
    ///
    /// The socket is bound but does not listen: a browser that connects is refused and tries the next address of the name. Throws
    /// if the port is taken. Returns `nil` if it cannot be bound for another reason: on an address that the machine lacks, no
    /// other program can listen either.
    public static func reserve(port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor? {
        let number = socket(address.family)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        // Leave the IPv4 addresses to another server, possibly our own.
        if address.isVersion6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1, of: number) }
        // With this option, `bind` succeeds although copies of a closed socket remain (`HeldPorts.letGo`). It still fails if a program
        // listens on the port.
        set(SOL_SOCKET, SO_REUSEADDR, 1, of: number)
        guard address.bind(number, port: port) == 0 else {
            guard errno != EADDRINUSE else { throw .cannotListen(port: port, of: address, cause: SystemError("reserve the port")) }
            return nil
        }
        // From now on no other program can listen there, whatever options its socket has.
        set(SOL_SOCKET, SO_REUSEADDR, 0, of: number)
        return descriptor
    }

    /// The port of a listening socket; 0 if it has none.
    static func port(of socket: Int32) -> UInt16 {
        // The port is at the same place in the addresses of both families.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        let hasPort = [AF_INET, AF_INET6].contains(Int32(address.sin6_family))
        return code == 0 && hasPort ? UInt16(bigEndian: address.sin6_port) : 0
    }

    private static func socket(_ family: Int32) -> Int32 {
        Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }

    static func open(port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor {
        let number = socket(address.family)
        guard number >= 0 else { throw .cannotListen(port: port, of: address, cause: SystemError("make a socket")) }
        let descriptor = Descriptor(owning: number)
        // Leftover connections of a previous server must not keep the port taken.
        set(SOL_SOCKET, SO_REUSEADDR, 1, of: number)
        // Permit an address that the machine does not have yet, because its network may start later.
        set(Int32(IPPROTO_IP), IP_FREEBIND, 1, of: number)
        if address.isVersion6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, of: number) }
        guard address.bind(number, port: port) == 0, listen(number, SOMAXCONN) == 0 else {
            throw .cannotListen(port: port, of: address, cause: SystemError("listen"))
        }
        return descriptor
    }

    static func set(_ level: Int32, _ option: Int32, _ value: Int32, of socket: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func open(path: String) throws(Trouble) -> Descriptor {
        guard let address = UnixAddress(path) else {
            throw Trouble("the path of a socket may have at most \(UnixAddress.longestPath) bytes, but \(path) has \(path.utf8.count)")
        }
        try clear(address, path)
        let number = socket(AF_UNIX)
        guard number >= 0 else { throw Trouble("\(SystemError("make a socket", path: path))") }
        let descriptor = Descriptor(owning: number)
        // The socket's first mode does not matter, because no program can connect before the socket listens.
        guard address.bind(number), chmod(path, 0o600) == 0, listen(number, SOMAXCONN) == 0 else {
            throw Trouble("\(SystemError("listen at", path: path))")
        }
        return descriptor
    }

    /// Removes the socket that a dead server left behind. Throws if a server may be listening, or if the path is no socket.
    private static func clear(_ address: UnixAddress, _ path: String) throws(Trouble) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw Trouble("\(SystemError("listen at", path: path, code: EEXIST))") }
        let number = socket(AF_UNIX)
        guard number >= 0 else { throw Trouble("\(SystemError("make a socket", path: path))") }
        defer { close(number) }
        // Only a refused connection proves that no server listens: a server with a full queue causes another error.
        guard !address.connect(number), errno == ECONNREFUSED else {
            throw Trouble("\(SystemError("listen at", path: path, code: EADDRINUSE))")
        }
        unlink(path)
    }
}

/// A path as a socket address. A path that begins with "@" is a name known only to the kernel, not a file.
public struct UnixAddress {
    private var raw = sockaddr_un()
    private let length: socklen_t

    /// How many bytes a path may have: the system's space for it, without the zero at its end.
    public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// `nil` if the path is too long or empty, or contains a zero byte.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.longestPath, !bytes.contains(0) else { return nil }
        raw.sun_family = sa_family_t(AF_UNIX)
        let isName = bytes[0] == UInt8(ascii: "@")
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: isName ? [0] + bytes.dropFirst() : bytes) }
        // For a name known only to the kernel, all bytes within the length belong to the name, even zeros, so the length must end
        // with the name.
        length = socklen_t(isName ? MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count : MemoryLayout<sockaddr_un>.size)
    }

    /// Connects a socket; returns whether a program listens there.
    public func connect(_ socket: Int32) -> Bool { call(Glibc.connect, socket) == 0 }

    /// Binds a socket; returns whether that succeeded.
    public func bind(_ socket: Int32) -> Bool { call(Glibc.bind, socket) == 0 }

    /// Passes this address to `bind` or `connect`, in the general form that both expect.
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32) -> Int32 {
        withUnsafePointer(to: raw) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(socket, $0, length) }
        }
    }
}
