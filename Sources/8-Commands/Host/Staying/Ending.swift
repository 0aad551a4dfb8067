package import CommandLine
import Glibc
package import Platform

/// What ends a command that keeps running: a signal, or something in it that cannot go on. Whichever comes first counts.
@LoopActor
package final class Ending {
    /// How a signal ends the command.
    package var asked: ExitCode
    private var code: ExitCode?
    private var isInterrupted = false
    private var waiter: CheckedContinuation<ExitCode?, Never>?

    /// Whether the command is ending, so that work breaking off now is not worth reporting.
    package var isOver: Bool { code != nil }

    /// Begins to listen for signals; the command must be one that handles them. A signal ends it with `asked`: being asked to end is
    /// no failure, unless something was meant to be finished first; a second one ends the process at once, which a kill may do at any
    /// time. If `onHangup` is given, SIGHUP calls it and ends nothing.
    package init(output: Output, asked: ExitCode = .fine, onHangup: (@Sendable @LoopActor () -> Void)? = nil) {
        self.asked = asked
        spawn { [weak self] in
            do {
                while try await Signals.next(of: [SIGINT, SIGTERM, SIGHUP]) == SIGHUP, let onHangup { onHangup() }
                if let self { end(self.asked) }
                _exit(128 + (try await Signals.next(of: [SIGINT, SIGTERM])))
            } catch {
                output.error("\(error)")
                self?.end(.failed)
            }
        }
    }

    /// Ends the command with `code`, unless it is ending already.
    package func end(_ code: ExitCode) {
        guard self.code == nil else { return }
        self.code = code
        wake()
    }

    /// Wakes whoever waits in `waitOrInterruption`, without ending the command.
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
