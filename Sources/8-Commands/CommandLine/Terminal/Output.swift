import JSON
import Model
import Glibc
package import Platform
import Synchronization

/// A command's output: results to standard output, everything else to standard error.
///
/// Every call writes immediately with `write(2)`, so no buffered text is lost when the process ends. Ignores a closed standard
/// output. `failure` keeps the first other error in writing results, after which no more results are written.
///
/// Titles and names come from a service and from files. This class removes everything in them that could control a terminal.
package final class Output: Sendable {
    package let terminal: Terminal
    private let results: Int32
    private let messages: Int32
    private let state = Mutex(State())

    private struct State {
        var failure: SystemError?
        var hasReader = true
        /// The terminal's last line, which must be cleared before other text is printed.
        var liveLine = ""
    }

    /// Prints to these descriptors, and never closes them.
    package init(terminal: Terminal, results: Int32 = 1, messages: Int32 = 2) {
        (self.terminal, self.results, self.messages) = (terminal, results, messages)
    }

    /// The error that prevented results from being written, if any.
    package var failure: SystemError? { state.withLock { $0.failure } }

    // MARK: - Results

    /// Prints one line of the result.
    package func result(_ line: String) { result(text: line + "\n") }

    /// Prints a part of the result, keeping its line breaks.
    package func result(text: String) { result(asItIs: text.harmless) }

    /// Prints the result as one line of JSON, with the version of its form.
    package func result<Source>(_ source: Source, as form: JSONForm<Source>) {
        result(asItIs: form.answer(source).line.escapingDirections + "\n")
    }

    /// Prints the reason for a missing result as one line of JSON.
    package func failure(_ message: String, as form: any PrintedForm) {
        result(asItIs: form.failure(message).line.escapingDirections + "\n")
    }

    /// Prints the text without removing control sequences: another `Output`'s text, or a sequence that controls the terminal.
    package func result(asItIs text: String) {
        var text = text
        text.withUTF8 { result(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Prints bytes of the result unchanged, whether they are text or not.
    package func result(bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.hasReader, state.failure == nil else { return }
            clearLiveLine(state)
            do throws(SystemError) {
                try Self.write(bytes, to: results)
            } catch {
                if error.code == EPIPE { state.hasReader = false } else { state.failure = error }
            }
            drawLiveLine(state)
        }
    }

    // MARK: - Messages

    /// Prints a line for the person at the terminal.
    package func message(_ line: String) { message(text: wrapped(line) + "\n") }

    /// The lines, broken between words if the terminal is narrow. A wide one breaks them itself, and what is to be typed stays whole.
    private func wrapped(_ text: String) -> String {
        guard let width = terminal.liveWidth, width < Self.leastWide else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix(" ") ? String(line) : WrappedText.lines(String(line), width: width).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The number of columns from which a terminal counts as wide.
    package static let leastWide = 60

    /// Prints lines for the person at the terminal.
    package func message(text: String) {
        state.withLock { state in
            clearLiveLine(state)
            send(text.harmless)
            drawLiveLine(state)
        }
    }

    /// Prints a problem that resolves itself, or because of which nothing is lost.
    package func warning(_ text: String) { message("\(paint("warning:", .yellow, on: .messages)) \(text)") }

    /// Prints the reason why the command ends, in one or more lines.
    package func error(_ text: String) { message("\(paint("woodshed:", .red, on: .messages)) \(text)") }

    /// A log that prints here, so its lines and a progress bar do not mix. Each line starts with `beginning`.
    package func log(from lowest: Log.Level, beginning: (@Sendable (Log.Level) -> String)? = nil) -> Log {
        Log { [self] level, message in
            guard level >= lowest else { return }
            let style: Style? = level == .error ? .red : level == .warning ? .yellow : nil
            let mark = style.map { paint("\(level): ", $0, on: .messages) } ?? ""
            self.message((beginning?(level) ?? "") + mark + message.printable)
        }
    }

    /// Styles `text` if the stream is a terminal with colour. Otherwise returns `text` unchanged.
    package func paint(_ text: String, _ style: Style, on stream: Terminal.Stream) -> String {
        terminal.hasColor(stream) ? style.applied(to: text) : text
    }

    // MARK: - The live line

    /// Replaces the terminal's last line with `line`.
    ///
    /// The line must be narrower than the terminal. Does nothing if standard error is not a terminal that can redraw a line.
    func setLiveLine(_ line: String) {
        guard terminal.liveWidth != nil else { return }
        state.withLock { state in
            state.liveLine = line.harmless
            drawLiveLine(state)
        }
    }

    package func endLiveLine() {
        state.withLock { state in
            clearLiveLine(state)
            state.liveLine = ""
        }
    }

    private func clearLiveLine(_ state: State) {
        if !state.liveLine.isEmpty { send("\r\u{1B}[K") }
    }

    private func drawLiveLine(_ state: State) {
        if !state.liveLine.isEmpty { send("\r" + state.liveLine + "\u{1B}[K") }
    }

    // MARK: - Writing

    private func send(_ text: String) {
        var text = text
        // An error is ignored: if standard error is closed, nobody can read the message.
        text.withUTF8 { try? Self.write(UnsafeRawBufferPointer($0), to: messages) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process may have made the shared descriptor non-blocking, so wait until it accepts more.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw SystemError("write the output")
            }
        }
    }
}
