import Glibc
package import Platform

/// Asks the user at the terminal, a line at a time.
@LoopActor
package final class Questions {
    /// The user typed Ctrl-D, or went away.
    package struct Cancelled: Error {}

    private let output: Output
    /// The terminal's settings before it stopped showing what is typed.
    private var shown: termios?

    package init(output: Output) { self.output = output }

    /// There is a terminal, and it shows the question.
    package var canAsk: Bool { isatty(STDIN_FILENO) == 1 && output.terminal.shows(.messages) }

    /// Returns the line that was typed, or `usual` if it is empty.
    package func line(_ question: String, usual: String = "") async throws -> String {
        output.message(text: question + (usual.isEmpty ? ": " : " [\(usual)]: "))
        let answer = try await read()
        return answer.isEmpty ? usual : answer
    }

    /// Returns the line that was typed, without showing it.
    package func secret(_ question: String) async throws -> String {
        hide()
        output.message(text: question + ": ")
        defer {
            show()
            output.message("")
        }
        return try await read()
    }

    /// Yes or no; an empty line means `usual`.
    package func isYes(_ question: String, usual: Bool) async throws -> Bool {
        while true {
            switch try await line("\(question) [\(usual ? "Y/n" : "y/N")]").lowercased() {
            case "": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }

    /// Makes the terminal show again what is typed, if the program ends in the middle of a question.
    package func show() {
        guard var shown else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
        self.shown = nil
    }

    private func hide() {
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else { return }
        shown = state
        state.c_lflag &= ~tcflag_t(ECHO)
        // If the user stopped or crashed the program here, the terminal would be left in the wrong mode.
        withUnsafeMutableBytes(of: &state.c_cc) { keys in for key in [VSUSP, VQUIT] { keys[Int(key)] = 0 } }
        // Input typed before was visible, and is no secret any more.
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
        // A terminal delivers a line at a time, and no longer ones.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { throw Cancelled() }
        let line = bytes[..<count].drop { $0 == 32 || $0 == 9 }
        return String(decoding: line.reversed().drop { $0 == 32 || (9...13).contains($0) }.reversed(), as: UTF8.self)
    }
}
