import Agent
import CShims
import Configuration
import Glibc
package import LocalHTTP
package import Platform
import Rendering
import Synchronization

/// Keeps the viewer's ports taken, however the agent ends. Otherwise another user of this machine could listen there and answer a
/// page that is reloaded.
///
/// A service manager that stores sockets does this by itself. Without one, a separate process holds the ports and hands them to the
/// next agent. The process ends when the runtime folder is removed, at the latest when the user logs out.
@LoopActor
package final class PortHolder {
    /// The argument that starts this program as the process that holds ports.
    package nonisolated static let word = "--hold-ports"

    private let path: String
    /// Whether no service manager keeps the ports.
    private nonisolated let isNeeded: Bool
    private let log: Log
    private weak var ports: HeldPorts?
    private var beginnings = 0
    /// The connections to our process, and to the former agent's process while it also holds the ports; -1 for none.
    private let connections = Mutex((own: Int32(-1), former: Int32(-1)))

    /// Takes over the former agent's ports, and keeps them from now on. Call this only with the library's lock.
    package static func follow(_ assembly: AgentAssembly, _ manager: ServiceManager) -> HeldPorts {
        let name = "/ports-" + ControlDesk.socket(in: assembly.runtime, library: assembly.data).suffix(12)
        let holder = PortHolder(assembly.runtime + name, isNeeded: !manager.keepsSockets, assembly.log)
        let sockets = manager.takePorts() + holder.takeOver()
        if holder.isNeeded { holder.begin() }
        let ports = HeldPorts(sockets) { sockets in
            manager.store(ports: sockets)
            holder.pass(sockets)
        }
        holder.ports = ports
        return ports
    }

    private init(_ path: String, isNeeded: Bool, _ log: Log) { (self.path, self.isNeeded, self.log) = (path, isNeeded, log) }

    /// Requests the ports from the former agent's process, which holds them until it is notified that another process does.
    private func takeOver() -> [Int32] {
        let connection = Descriptor(owning: HeldPortsProcess.makeSocket())
        var (process, user) = (pid_t(0), uid_t(0))
        // On a busy machine, the process may need a while. Without its sockets, this agent could not listen, since the process has the port.
        Self.limit(SO_RCVTIMEO, of: connection.number, seconds: 5)
        guard let address = UnixAddress(path), address.connect(connection.number),
            woodshed_peer(connection.number, &process, &user) == 0, user == geteuid(),
            let message = try? MessageSocket.receive(from: connection.number)
        else { return [] }
        let number = connection.release()
        connections.withLock { $0.former = number }
        defer { withExtendedLifetime(message) {} }
        return message.files.numbers.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }

    private func begin() {
        beginnings += 1
        do throws(SystemError) {
            let nothing = try Descriptor.open("/dev/null", O_RDWR)
            var ends: [Int32] = [-1, -1]
            guard woodshed_message_socket_pair(&ends) == 0 else { throw SystemError("make a socket") }
            let ours = ends[0]
            let theirs = Descriptor(owning: ends[1])
            // If the process that holds the ports is stopped, sending to it must not block for ever.
            Self.limit(SO_SNDTIMEO, of: ours, seconds: 1)
            connections.withLock { connections in
                if connections.own >= 0 { close(connections.own) }
                connections.own = ours
            }
            let (quiet, channel) = (nothing.number, theirs.number)
            let child = try Child.start(
                Options.programs.program, arguments: [Self.word, path], environment: [], descriptors: [quiet, quiet, quiet, channel])
            spawn { [weak self] in
                _ = await child.exit()
                // A manager that ends a service ends all its processes, and waits for any started meanwhile. So do not restart immediately.
                try? await SystemClock().sleep(for: Self.pause)
                self?.beginAgain()
            }
        } catch {
            warn("\(error)")
        }
    }

    /// Restarts the process, which was killed or failed. After eight starts, only logs a warning.
    private func beginAgain() {
        guard beginnings < Self.mostBeginnings else { return warn("what holds it, at \(path), ends again and again") }
        begin()
        ports?.passAgain()
    }

    private func warn(_ reason: String) {
        log.warning("while no agent runs, another user of this machine may take the port of the pages: \(reason)")
    }

    /// Sends copies of these sockets to our process, which then closes those that it held before. Then makes the former agent's
    /// process give up its sockets, and waits for that.
    private nonisolated func pass(_ sockets: [Int32]) {
        let own = connections.withLock { $0.own }
        // While no new process has the sockets, the former agent's process continues to hold the ports, and the next agent finds them there.
        guard own >= 0 || !isNeeded else { return }
        if own >= 0, !Barrier.pass({ try? MessageSocket.send([0], descriptors: sockets + [$0], over: own) }) { return }
        let former = connections.withLock { connections -> Int32 in
            defer { connections.former = -1 }
            return connections.former
        }
        guard former >= 0 else { return }
        let connection = Descriptor(owning: former)
        try? MessageSocket.send([0], descriptors: [], over: former)
        Barrier.wait(for: connection.number)
    }

    private nonisolated static func limit(_ option: Int32, of socket: Int32, seconds: Int) {
        var wait = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, option, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    private static let mostBeginnings = 8
    private static let pause = Duration.seconds(3)
}

/// Waits until a receiver of descriptors has processed all earlier ones.
enum Barrier {
    /// How long (ms) to wait for a busy receiver.
    private static let patience: Int32 = 1000

    /// Calls `send` with a descriptor to send, which the receiver closes once it has processed all earlier ones. Waits until the descriptor
    /// is closed, but no longer than `patience`; returns whether it is closed. A receiver that is gone has closed it, too.
    static func pass(_ send: (Int32) -> Void) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let near = Descriptor(owning: ends[0])
        send(ends[1])
        close(ends[1])
        return wait(for: near.number)
    }

    /// Waits until the other end is closed, but no longer than `patience`; returns whether it is closed.
    @discardableResult
    static func wait(for end: Int32) -> Bool {
        var waiting = pollfd(fd: end, events: 0, revents: 0)
        return poll(&waiting, 1, patience) > 0
    }
}
