import Glibc
public import Model
public import Platform
import Synchronization

/// Ports that a user keeps from one process to the next, so that no other program can listen there in between: open pages in a browser
/// would take whatever answers at their address for us.
///
/// The sockets of a former process are taken over, and copies of ours are passed on to a keeper that outlasts this process. A port that no
/// server uses is bound and does not listen, so that a browser which connects is refused at once; after a crash, a service manager keeps it
/// as it was, and a browser waits for the next process.
public final class HeldPorts: Sendable {
    /// A socket, and what it is bound to.
    private struct Held {
        let socket: Int32
        let port: UInt16
        let address: IPAddress
        /// Whether it keeps others away and never listens (`Listening.reserve`).
        let isReserve: Bool
        var isUsed = false
    }

    private let held: Mutex<[Held]>
    private let pass: @Sendable ([Int32]) -> Void

    /// `sockets` come from a former process, and are owned from now on. `pass` gives copies of these, and of no others, to the keeper; when
    /// it returns, the keeper has closed what it had before.
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

    /// Keeps others from a port of an address (`Listening.reserve`).
    public func reserve(port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor? {
        if let socket = take(port, address, isReserve: true) { return socket }
        guard let socket = try Listening.reserve(port: port, of: address) else { return nil }
        keep(socket, port)
        return socket
    }

    /// Passes on the sockets in use, and no others: the servers have begun.
    public func settle() {
        held.withLock { held in
            for each in held where !each.isUsed { close(each.socket) }
            held.removeAll { !$0.isUsed }
        }
        passAgain()
    }

    /// Passes on all of them again, since the keeper has lost its own.
    public func passAgain() { pass(held.withLock { $0.map(\.socket) }) }

    /// From now on browsers are refused: the servers have ended.
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
        // Otherwise another program with the same option could listen there.
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
        // A port that the system chose is not asked for again.
        guard port != 0 else { return }
        let copy = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
        guard var fresh = Self.describe(copy) else { return }
        fresh.isUsed = true
        held.withLock { $0.append(fresh) }
    }

    /// Closes unused sockets at a port under other addresses, which would be in the way of our own server.
    private func letGo(of port: UInt16) {
        let rest = held.withLock { held -> [Int32]? in
            let spare = held.filter { $0.port == port && !$0.isUsed }
            for each in spare {
                // A child that has not yet become another program has copies of all our sockets, and these must not keep us out either.
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
        // Where no connections of the former process are left, nobody else has a moment to get in.
        let isTaken = Glibc.listen(socket, SOMAXCONN) == 0
        // Connections have this option from the socket that accepts them, and without it keep the next process out when they are left over.
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
