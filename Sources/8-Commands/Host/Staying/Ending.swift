package import CommandLine
import Glibc
import LocalHTTP
package import Platform

/// Ends a command that keeps running, at a signal or when a part of it cannot go on. Whichever comes first counts.
@LoopActor
package final class Ending {
    /// How a signal ends the command.
    package var asked: ExitCode
    private var code: ExitCode?
    private var hangup: (@LoopActor () -> Void)?
    private var isInterrupted = false
    private var waiter: CheckedContinuation<ExitCode?, Never>?

    /// The command is ending, so work that breaks off now is not worth reporting.
    package var isOver: Bool { code != nil }

    /// Begins to listen for signals; the command must be one that handles them. A signal ends it with `asked`: being asked to end is
    /// no failure, unless something was meant to be finished first; a second one ends the process at once, which a kill may do at any
    /// time.
    package init(output: Output, asked: ExitCode = .fine) {
        self.asked = asked
        spawn { [weak self] in
            do {
                while try await Signals.next(of: [SIGINT, SIGTERM, SIGHUP]) == SIGHUP, let hangup = self?.hangup { hangup() }
                if let self { end(self.asked) }
                _exit(128 + (try await Signals.next(of: [SIGINT, SIGTERM])))
            } catch {
                output.error("\(error)")
                self?.end(.failed)
            }
        }
    }

    /// Has SIGHUP call `body` instead of ending the command.
    package func onHangup(_ body: @escaping @LoopActor () -> Void) { hangup = body }

    /// Ends the command with `code`, unless it is ending already.
    package func end(_ code: ExitCode) {
        guard self.code == nil else { return }
        self.code = code
        wake()
    }

    /// Ends the waiting in `waitOrInterruption`, but not the command.
    package func interrupt() {
        isInterrupted = true
        wake()
    }

    /// Waits for the end.
    package func wait() async -> ExitCode {
        while true {
            if let code = await waitOrInterruption() { return code }
        }
    }

    /// Waits for the end, or for an interruption, which returns `nil`.
    package func waitOrInterruption() async -> ExitCode? {
        await withCheckedContinuation { continuation in
            waiter = continuation
            if code != nil || isInterrupted { wake() }
        }
    }

    private func wake() {
        guard let waiter else { return }
        self.waiter = nil
        isInterrupted = false
        waiter.resume(returning: code)
    }
}

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

    /// Tells it how far the process is, and a line for `systemctl status`.
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
        // Wait for a busy systemd: if it misses our READY, it kills us.
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
