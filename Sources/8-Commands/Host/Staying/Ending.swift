package import CommandLine
import Glibc
package import Platform

/// Ends a command that keeps running, at a signal or when a part of it cannot continue. The first reason counts.
@LoopActor
package final class Ending {
    /// The exit code after a signal: success for a command that runs until it is stopped, but `.interrupted` while there is work
    /// that it should have finished.
    package var asked: ExitCode
    private var code: ExitCode?
    private var hangup: (@LoopActor () -> Void)?
    private var isInterrupted = false
    private var waiter: CheckedContinuation<ExitCode?, Never>?

    /// Whether the command is ending. If so, work that breaks off need not be reported.
    package var isOver: Bool { code != nil }

    /// Begins to wait for signals, which is only possible in a command with `handlesSignals`. A signal ends the command with the
    /// code in `asked`. A second SIGINT or SIGTERM ends the process immediately, as a kill could at any time.
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

    /// Runs `work`, which may ask the user questions. The terminal is left as it was even if Ctrl-C or Ctrl-D ends the work.
    package static func asking(
        _ output: Output, _ work: @escaping @Sendable @LoopActor () async throws -> ExitCode
    ) async throws -> ExitCode {
        let ending = Ending(output: output, asked: .interrupted)
        let task = spawnThrowing { () async throws -> ExitCode in
            defer { ending.end(.fine) }
            return try await work()
        }
        let code = await ending.wait()
        Questions(output: output).show()
        guard code == .fine else { return code }
        do {
            return try await task.value
        } catch is Questions.Cancelled {
            return .interrupted
        }
    }

    /// Makes SIGHUP call `body` and not end the command.
    package func onHangup(_ body: @escaping @LoopActor () -> Void) { hangup = body }

    /// Ends the command with `code`, unless it is already ending.
    package func end(_ code: ExitCode) {
        guard self.code == nil else { return }
        self.code = code
        wake()
    }

    /// Makes `waitOrInterruption` return, without ending the command.
    package func interrupt() {
        isInterrupted = true
        wake()
    }

    /// Waits for the end of the command.
    package func wait() async -> ExitCode {
        while true {
            if let code = await waitOrInterruption() { return code }
        }
    }

    /// Waits for the end of the command, or for an interruption, at which it returns nil.
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
