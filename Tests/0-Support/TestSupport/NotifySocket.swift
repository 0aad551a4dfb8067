import Glibc
import Platform

/// The socket at which a service manager listens.
public final class NotifySocket: Sendable {
    private let socket: Descriptor

    /// Listens at a path or, if it begins with "@", under a name that only the kernel knows.
    public init(_ name: String) throws {
        socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = name.hasPrefix("@") ? 2 + bytes.count : MemoryLayout<sockaddr_un>.size
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.number, $0, socklen_t(length)) }
        }
        guard code == 0 else { throw SystemError("listen", path: name) }
    }

    /// What was told next; `nil` if nothing is there.
    public func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket.number, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
