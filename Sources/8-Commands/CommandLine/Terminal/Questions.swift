import Glibc
package import Platform

/// Asks the user questions at the terminal, and reads one line for each.
@LoopActor
package final class Questions {
    /// The user typed Ctrl-D, or closed the terminal.
    package struct Cancelled: Error {}

    private let output: Output
    /// The terminal's settings before the echo was turned off, whoever asked.
    private static var shown: termios?

    package init(output: Output) { self.output = output }

    /// Whether standard input is a terminal and standard error shows the question on one.
    package var canAsk: Bool { isatty(STDIN_FILENO) == 1 && output.terminal.shows(.messages) }

    /// Returns the typed line, or `usual` if the line is empty.
    package func line(_ question: String, usual: String = "") async throws -> String {
        output.message(text: question + (usual.isEmpty ? ": " : " [\(usual)]: "))
        let answer = try await read()
        return answer.isEmpty ? usual : answer
    }

    /// Returns the typed line, which the terminal does not show.
    package func secret(_ question: String) async throws -> String {
        hide()
        output.message(text: question + ": ")
        defer {
            show()
            output.message("")
        }
        return try await read()
    }

    /// Asks for yes or no. An empty line means `usual`.
    package func isYes(_ question: String, usual: Bool) async throws -> Bool {
        while true {
            switch try await line("\(question) [\(usual ? "Y/n" : "y/N")]").lowercased() {
            case "": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: output.message("Type y or n, or press Enter for \(usual ? "y" : "n").")
            }
        }
    }

    /// Turns the terminal's echo on again if a question has turned it off. Call this if the program ends during a question.
    package func show() {
        guard var shown = Self.shown else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
        Self.shown = nil
    }

    private func hide() {
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else { return }
        Self.shown = state
        state.c_lflag &= ~tcflag_t(ECHO)
        // Turn off the keys that stop or abort the program: the terminal would otherwise stay without echo.
        withUnsafeMutableBytes(of: &state.c_cc) { keys in for key in [VSUSP, VQUIT] { keys[Int(key)] = 0 } }
        // Discard earlier input: the terminal has already shown it, so it is no longer secret.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
    }

    private func read() async throws -> String {
        var watch: DescriptorWatch?
        defer { if let watch { Loop.shared.cancel(watch) } }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var waiting: CheckedContinuation<Void, any Error>? = continuation
            do {
                watch = try Loop.shared.watch(STDIN_FILENO, for: .read) { _ in
                    waiting?.resume()
                    waiting = nil
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        // A terminal delivers one line at a time, and at most 4096 bytes.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { throw Cancelled() }
        let line = bytes[..<count].drop { $0 == 32 || $0 == 9 }
        return String(decoding: line.reversed().drop { $0 == 32 || (9...13).contains($0) }.reversed(), as: UTF8.self)
    }
}
