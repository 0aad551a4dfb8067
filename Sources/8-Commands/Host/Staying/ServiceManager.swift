package import CommandLine
import Glibc
import LocalHTTP
import Platform
import Rendering

/// The service manager that started this process and expects reports of its state, as systemd does for a unit of `Type=notify`.
/// Without one, reports are dropped.
package struct ServiceManager: Sendable {
    private let path: String?
    /// The names of the stored descriptors that the manager passed to this process. The descriptors are numbered from 3 in this order.
    private let kept: [String]

    /// The name under which the manager stores the sockets of our ports.
    private static let ports = "woodshed-ports"

    package enum State {
        case ready, reloading, stopping
    }

    package init(_ environment: Environment) {
        path = environment["NOTIFY_SOCKET"]
        keepsSockets = path != nil && (environment["FDSTORE"].flatMap { Int($0) } ?? 0) > 0
        let isOurs = environment["LISTEN_PID"] == "\(getpid())"
        let names = isOurs ? (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false) : []
        kept = names.map { String($0) }
    }

    /// Whether the manager announces that it stores sockets. Some managers store sockets without announcing it.
    let keepsSockets: Bool

    /// The sockets that a former process of this service stored. Call this once, since the caller owns them.
    package func takePorts() -> [Int32] {
        kept.indices.filter { kept[$0] == Self.ports }.map { index in
            let socket = Int32(3 + index)
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            return socket
        }
    }

    /// Makes the manager store exactly these sockets for this service's next process. Unless the manager is busy, it has done so on return.
    package func store(ports: [Int32]) {
        guard let connection = connect() else { return }
        send("FDSTOREREMOVE=1\nFDNAME=\(Self.ports)\n", over: connection)
        // Turn off the manager's check for errors, which a socket that does not listen would fail.
        if !ports.isEmpty { send("FDSTORE=1\nFDNAME=\(Self.ports)\nFDPOLL=0\n", ports, over: connection) }
        _ = Barrier.pass { send("BARRIER=1", [$0], over: connection) }
    }

    /// Reports the state of the process, and a line for `systemctl status`.
    package func report(_ state: State? = nil, status: String) {
        guard let connection = connect() else { return }
        let word =
            switch state {
            case .ready: "READY=1\n"
            // The time distinguishes this reload from an earlier one.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)\n"
            case .stopping: "STOPPING=1\n"
            case nil: ""
            }
        send("\(word)STATUS=\(status.printable)\n", over: connection, waits: state != nil)
    }

    private func connect() -> Descriptor? {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        let descriptor = Descriptor(owning: socket)
        guard let path, let address = UnixAddress(path), address.connect(socket) else { return nil }
        // Wait for a busy systemd: if it misses our READY, it kills this process.
        var wait = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    private func send(_ words: String, _ descriptors: [Int32] = [], over connection: borrowing Descriptor, waits: Bool = true) {
        _ = fcntl(connection.number, F_SETFL, waits ? 0 : O_NONBLOCK)
        try? MessageSocket.send(Array(words.utf8), descriptors: descriptors, over: connection.number)
    }

    private static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
