import Glibc
public import Model
public import Platform
import Synchronization

/// Ports that stay taken between a user's process and the next one, so that no other program can listen there meanwhile. Pages
/// open in a browser would take any program at their address for ours.
///
/// Takes over the sockets of a former process, and passes copies of its own to a keeper that outlasts this process. A port without
/// a server is bound but does not listen, so browsers are refused immediately. After a crash, a service manager keeps the listening
/// sockets as they were, and browsers wait for the next process.
public final class HeldPorts: Sendable {
    /// A socket, with the port and the address to which it is bound.
    private struct Held {
        let socket: Int32
        let port: UInt16
        let address: IPAddress
        /// Whether the socket only keeps others away, and never listens (`Listening.reserve`).
        let isReserve: Bool
        var isUsed = false
    }

    private let held: Mutex<[Held]>
    private let pass: @Sendable ([Int32]) -> Void

    /// Takes ownership of the `sockets` of a former process. `pass` gives the keeper copies of the sockets in its argument. When
    /// `pass` returns, the keeper has closed its copies of all other sockets.
    public init(_ sockets: [Int32], pass: @escaping @Sendable ([Int32]) -> Void) {
        let known = sockets.compactMap { socket in
            let held = Self.describe(socket)
            if held == nil { close(socket) }
            return held
        }
        held = Mutex(known)
        self.pass = pass
    }

    deinit { for each in held.withLock(\.self) { close(each.socket) } }

    /// Listens at a port of an address, on a former process's socket if there is one.
    func listen(port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor {
        if let socket = take(port, address, isReserve: false) {
            if Self.listens(socket.number) { return socket }
            held.withLock { held in
                for index in held.indices where held[index].port == port && held[index].address == address { held[index].isUsed = false }
            }
        }
        letGo(of: port)
        let socket = try Listening.open(port: port, of: address)
        keep(socket, port)
        return socket
    }

    /// Keeps other programs from listening at a port of an address (`Listening.reserve`).
    public func reserve(port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor? {
        if let socket = take(port, address, isReserve: true) { return socket }
        guard let socket = try Listening.reserve(port: port, of: address) else { return nil }
        keep(socket, port)
        return socket
    }

    /// Closes unused sockets, and passes the others to the keeper. Called when the servers have started.
    public func settle() {
        held.withLock { held in
            for each in held where !each.isUsed { close(each.socket) }
            held.removeAll { !$0.isUsed }
        }
        passAgain()
    }

    /// Passes all sockets to the keeper again. Called when the keeper has lost its copies.
    public func passAgain() { pass(held.withLock { $0.map(\.socket) }) }

    /// Makes the ports refuse browsers from now on. Called when the servers have ended.
    public func rest() {
        held.withLock { held in
            for index in held.indices where held[index].isUsed {
                held[index].isUsed = false
                Self.refuse(held[index].socket)
            }
        }
        passAgain()
    }

    /// Makes a listening socket refuse connections, while the port stays taken.
    public static func refuse(_ socket: Int32) {
        guard isListening(socket) else { return }
        // If SO_REUSEADDR stayed on, another program that also sets it could listen there.
        Listening.set(SOL_SOCKET, SO_REUSEADDR, 0, of: socket)
        shutdown(socket, Int32(SHUT_RD))
    }

    private func take(_ port: UInt16, _ address: IPAddress, isReserve: Bool) -> Descriptor? {
        held.withLock { held in
            guard
                let index = held.firstIndex(where: { $0.port == port && $0.address == address && $0.isReserve == isReserve && !$0.isUsed })
            else { return nil }
            let copy = fcntl(held[index].socket, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return nil }
            held[index].isUsed = true
            return Descriptor(owning: copy)
        }
    }

    private func keep(_ socket: borrowing Descriptor, _ port: UInt16) {
        // Do not keep a port that the system chose: no later process asks for it.
        guard port != 0 else { return }
        let copy = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
        guard var fresh = Self.describe(copy) else {
            Glibc.close(copy)
            return
        }
        fresh.isUsed = true
        held.withLock { $0.append(fresh) }
    }

    /// Closes unused sockets at a port, since even under another address they would keep our own server out.
    private func letGo(of port: UInt16) {
        let rest = held.withLock { held -> [Int32]? in
            let spare = held.filter { $0.port == port && !$0.isUsed }
            for each in spare {
                // A child process that has not yet called exec has copies of all our sockets. These must not keep us out either.
                shutdown(each.socket, Int32(SHUT_RD))
                Listening.set(SOL_SOCKET, SO_REUSEADDR, 1, of: each.socket)
                close(each.socket)
            }
            held.removeAll { $0.port == port && !$0.isUsed }
            return spare.isEmpty ? nil : held.map(\.socket)
        }
        if let rest { pass(rest) }
    }

    private static func describe(_ socket: Int32) -> Held? {
        guard socket >= 0, let address = IPAddress(boundAt: socket) else { return nil }
        let port = Listening.port(of: socket)
        guard port != 0 else { return nil }
        return Held(
            socket: socket, port: port, address: address,
            isReserve: address.isVersion6 && option(Int32(IPPROTO_IPV6), IPV6_V6ONLY, of: socket) != 0)
    }

    private static func listens(_ socket: Int32) -> Bool {
        if isListening(socket) { return true }
        // First try without SO_REUSEADDR, so that no other program has a chance to listen here. That works if no connections of the
        // former process are left.
        let isTaken = Glibc.listen(socket, SOMAXCONN) == 0
        // Connections inherit SO_REUSEADDR from the accepting socket. Without it, leftover connections would keep the next process
        // out.
        Listening.set(SOL_SOCKET, SO_REUSEADDR, 1, of: socket)
        if isTaken || Glibc.listen(socket, SOMAXCONN) == 0 { return true }
        Listening.set(SOL_SOCKET, SO_REUSEADDR, 0, of: socket)
        return false
    }

    private static func isListening(_ socket: Int32) -> Bool { option(SOL_SOCKET, SO_ACCEPTCONN, of: socket) != 0 }

    private static func option(_ level: Int32, _ option: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, option, &value, &size) == 0 ? value : 0
    }
}
