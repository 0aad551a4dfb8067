import Glibc
import Platform

/// What ends a command that stays: a signal, or something in it that cannot go on. Whichever comes first counts.
@LoopActor
final class Ending {
    private var code: ExitCode?
    private var waiter: CheckedContinuation<ExitCode, Never>?

    /// Whether the command is on its way out, so that what breaks off now is no news.
    var isOver: Bool { code != nil }

    /// Begins to listen; the command must be one that handles signals. A signal ends it with `asked`: being asked to end is
    /// no failure, unless something was to be finished first.
    init(output: Output, asked: ExitCode = .fine) {
        spawn { [weak self] in
            do {
                _ = try await Signals.next(of: [SIGINT, SIGTERM, SIGHUP])
                self?.end(asked)
            } catch {
                output.error("\(error)")
                self?.end(.failed)
            }
        }
    }

    /// Ends the command with `code`, unless it has ended.
    func end(_ code: ExitCode) {
        guard self.code == nil else { return }
        self.code = code
        waiter?.resume(returning: code)
        waiter = nil
    }

    /// Waits for the end.
    func wait() async -> ExitCode {
        await withCheckedContinuation { continuation in
            if let code { continuation.resume(returning: code) } else { waiter = continuation }
        }
    }
}
