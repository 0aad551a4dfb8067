import Glibc

/// The address of a machine on a network, IPv4 or IPv6.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes.
    private let bytes: [UInt8]

    /// 127.0.0.1.
    public static let loopback = IPAddress(bytes: [127, 0, 0, 1])
    /// `::`, which stands for all addresses of version 6.
    package static let any6 = IPAddress(bytes: [UInt8](repeating: 0, count: 16))
    /// ::1.
    public static let loopback6 = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an address in its usual form; `nil` for a name or anything else.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// The address of the machine at the other end of a socket; `nil` if the socket is not on a network.
    init?(ofPeerAt socket: Int32) { self.init(of: socket, by: getpeername) }

    /// The address that a socket of this machine is bound to.
    init?(boundAt socket: Int32) { self.init(of: socket, by: getsockname) }

    private init?(
        of socket: Int32, by ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isThere = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(socket, $0, &length) == 0 }
        }
        guard isThere else { return nil }
        self.init(ofSocket: &storage)
    }

    /// Reads the IP address in a socket's address, whose memory must be large enough for any family; `nil` for other families.
    private init?(ofSocket address: UnsafeRawPointer) {
        let found: [UInt8]
        switch Int32(address.load(as: sockaddr.self).sa_family) {
        case AF_INET: found = withUnsafeBytes(of: address.load(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: found = withUnsafeBytes(of: address.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
        // An IPv6 socket reports IPv4 addresses in this form.
        let isMapped = found.count == 16 && found[..<10].allSatisfy { $0 == 0 } && found[10] == 0xFF && found[11] == 0xFF
        bytes = isMapped ? Array(found[12...]) : found
    }

    /// The addresses that this machine has now; empty if they are unknown.
    public static var ofThisMachine: [IPAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { each in
            each?.pointee.ifa_addr.flatMap { IPAddress(ofSocket: $0) }
        }
    }

    /// True for this machine's own addresses; if they are unknown, true for every address. This does not identify the user: other
    /// users' programs on this machine connect from the same addresses.
    public var isOwn: Bool {
        if isLoopback { return true }
        let all = IPAddress.ofThisMachine
        return all.isEmpty || all.contains(self)
    }

    /// The part that the addresses of all devices in one household share, seen from outside: for IPv4 the whole address, and for
    /// IPv6 the first half, since each device may have any number of IPv6 addresses.
    public var network: IPAddress { isVersion6 ? IPAddress(bytes: bytes[..<8] + [UInt8](repeating: 0, count: 8)) : self }

    /// True if the address stands for all addresses of this machine: 0.0.0.0, or `::`, which includes the IPv4 ones.
    public var isAny: Bool { bytes.allSatisfy { $0 == 0 } }
    /// True if the address leads only to this machine.
    public var isLoopback: Bool { isVersion6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : bytes[0] == 127 }
    public var isVersion6: Bool { bytes.count == 16 }

    /// The address as browsers write it between `http://` and the port.
    public var host: String { isVersion6 ? "[\(self)]" : description }

    public var description: String {
        String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, inet_ntop(family, bytes, start, socklen_t(text.count)) != nil else { return 0 }
                return strlen(start)
            }
        }
    }

    var family: Int32 { isVersion6 ? AF_INET6 : AF_INET }

    /// Binds a socket of this family to a port of this address.
    package func bind(_ socket: Int32, port: UInt16) -> Int32 {
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.bind(socket, address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return Self.bind(socket, address)
    }

    private static func bind<Address>(_ socket: Int32, _ address: Address) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}
