import Glibc
import Platform

/// What ends a command that stays: a signal, or something in it that cannot go on. Whichever comes first counts.
@LoopActor
final class Ending {
    private var code: ExitCode?
    private var waiter: CheckedContinuation<ExitCode, Never>?

    /// Begins to listen; the command must be one that handles signals.
    ///
    /// Being asked to end is no failure of a command that stays; one that was to come to an end by itself is not done.
    init(output: Output, codeWhenAsked: ExitCode = .fine) {
        spawn { [weak self] in
            do {
                _ = try await Signals.next(of: [SIGINT, SIGTERM, SIGHUP])
                self?.end(codeWhenAsked)
            } catch {
                output.error("\(error)")
                self?.end(.failed)
            }
        }
    }

    /// Whether the end has begun.
    var hasBegun: Bool { code != nil }

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
