import Glibc
import Platform
import Rendering
import Synchronization

/// The socket of a simulated service manager, which receives messages and stores descriptors for the next process.
public final class NotifySocket: Sendable {
    private let socket: Descriptor
    private let stored = Mutex<[Int32]>([])

    /// The descriptors stored for the next process.
    public var kept: [Int32] { stored.withLock(\.self) }

    /// Listens at a path or, if it begins with "@", at an abstract address.
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

    /// The next message; nil if none is waiting.
    public func next() -> String? {
        guard let message = try? MessageSocket.receive(from: socket.number) else { return nil }
        let words = String(decoding: message.bytes, as: UTF8.self)
        stored.withLock { stored in
            if words.hasPrefix("FDSTOREREMOVE=1\n") { while let each = stored.popLast() { close(each) } }
            if words.hasPrefix("FDSTORE=1\n") { stored += message.files.numbers.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } }
        }
        return words
    }

    deinit { for each in kept { close(each) } }
}
