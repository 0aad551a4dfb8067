package import CommandLine
import Glibc
import LocalHTTP

/// The service manager that started this process and waits to be told how far it is, as systemd does for a unit of `Type=notify`. Where there
/// is none, whatever it is told goes nowhere.
package struct ServiceManager {
    private let address: UnixAddress?

    package enum State {
        case ready, reloading, stopping
    }

    package init(_ environment: Environment) {
        address = environment["NOTIFY_SOCKET"].flatMap { UnixAddress($0) }
    }

    /// Tells it how far the process is, and a line for whoever asks about the unit.
    package func tell(_ state: State? = nil, status: String) {
        guard let address else { return }
        let word =
            switch state {
            case .ready: "READY=1\n"
            // By that time, the manager tells a reload that it asked for from an earlier one.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)\n"
            case .stopping: "STOPPING=1\n"
            case nil: ""
            }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        // One that is busy must not miss that we are ready, or it would end us for not being so.
        var wait = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        address.send(Array("\(word)STATUS=\(status.printable)\n".utf8), from: socket, waits: state != nil)
    }

    private static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
