package import CommandLine
import Glibc
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

    /// Begins to listen for signals; the command must be one that handles them. A signal ends it with `asked`: a request to end is no
    /// failure, unless something was meant to be finished first; a second one ends the process at once, which a kill may do at any time.
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

    /// Makes SIGHUP call `body` instead of ending the command.
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
