import Glibc
import Platform
import Synchronization
import Testing

/// Stands between a client and a server on this machine, and holds back everything after the client's first `bytes`.
final class Relay: Sendable {
    private struct State {
        var left: Int
        var sockets: [Int32] = []
        var isOpen = true
    }

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    /// Whether the relay holds bytes back.
    var isHolding: Bool { state.withLock { $0.left == 0 } }

    init(to server: UInt16, bytes: Int) throws {
        let listener = try #require(Self.socket(nil))
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &length) }
        }
        (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
        state = Mutex(State(left: bytes))
        Self.onThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, adopt(client), let other = Self.socket(server), adopt(other) else { break }
                Self.onThread { self.pass(from: client, to: other, counted: true) }
                Self.onThread { self.pass(from: other, to: client, counted: false) }
            }
            close()
        }
    }

    /// Ends all connections, and accepts no more.
    func close() {
        state.withLock { state in
            state.isOpen = false
            for socket in state.sockets + [listener] { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    deinit {
        // No thread uses any of the sockets now.
        for socket in state.withLock({ $0.sockets }) + [listener] { Glibc.close(socket) }
    }

    private func adopt(_ socket: Int32) -> Bool {
        state.withLock { state in
            state.sockets.append(socket)
            return state.isOpen
        }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) { spawn { await SideThread().run(body) } }

    /// Passes bytes on until either side ends, which ends the other.
    private func pass(from source: Int32, to target: Int32, counted: Bool) {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let part =
                counted
                ? state.withLock { state in
                    let part = min(count, state.left)
                    state.left -= part
                    return part
                } : count
            guard part == 0 || send(target, buffer, part, Int32(MSG_NOSIGNAL)) == part else { break }
        }
        for socket in [source, target] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// A socket of this machine that listens, or that is connected to a port.
    private static func socket(_ port: UInt16?) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = address(port ?? 0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return port == nil ? bind(socket, $0, length) : connect(socket, $0, length)
            }
        }
        return code == 0 && (port != nil || listen(socket, 16) == 0) ? socket : nil
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
