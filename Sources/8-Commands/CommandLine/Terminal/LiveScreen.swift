import Glibc
package import Platform

/// A terminal that is redrawn continually: on the alternate screen, without a cursor. The key `q` quits.
@LoopActor
package final class LiveScreen {
    private let output: Output
    private var update = ScreenUpdate()
    private var former: termios?
    private var keys: DescriptorWatch?

    /// Takes over the terminal, and calls `onEnd` when the user presses `q`.
    package init(_ output: Output, onEnd: @escaping @LoopActor () -> Void) {
        self.output = output
        // Switch to the alternate screen and hide the cursor.
        output.result(asItIs: "\u{1B}[?1049h\u{1B}[?25l")
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        former = settings
        // Receive keys one by one, without echo. Ctrl-C still sends a signal.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        keys = try? Loop.shared.watch(STDIN_FILENO, for: .read) { [weak self] _ in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // A closed terminal's descriptor stays readable for ever, so stop watching it.
            if count <= 0 { self?.stopListening() }
            if bytes.prefix(max(count, 0)).contains(where: { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") }) { onEnd() }
        }
    }

    /// Shows the lines that `lines` returns for the terminal's size, as many as fit.
    package func show(_ lines: (_ rows: Int, _ columns: Int) -> [String]) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        let (rows, columns) = isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, output.terminal.width ?? 80)
        let text = update.text(for: lines(rows, columns), rows: rows, columns: columns)
        if !text.isEmpty { output.result(asItIs: text) }
    }

    /// Restores the terminal's former state.
    package func end() {
        stopListening()
        if var former { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
        former = nil
        output.result(asItIs: "\u{1B}[?25h\u{1B}[?1049l")
    }

    private func stopListening() {
        if let keys { Loop.shared.cancel(keys) }
        keys = nil
    }
}

/// Rewrites only the rows of a terminal that differ from the rows shown.
struct ScreenUpdate {
    /// The rows that the terminal shows now.
    private var shown: [String] = []
    private var size: (rows: Int, columns: Int)?

    /// The output that makes the terminal show `lines`; empty if nothing differs. If not all fit, the last row says how many are left out.
    mutating func text(for lines: [String], rows: Int, columns: Int) -> String {
        var text = ""
        if size.map({ $0 != (rows, columns) }) ?? true {
            // Clear the screen: its contents are unknown at first, and resizing moves its lines.
            text = "\u{1B}[2J"
            shown = []
            size = (rows, columns)
        }
        var visible = lines.prefix(rows).map(\.harmless)
        if lines.count > rows, rows > 0 { visible[rows - 1] = "… and \(lines.count - rows + 1) more lines" }
        for row in 0..<max(visible.count, shown.count) {
            let line = row < visible.count ? visible[row] : ""
            guard line != (row < shown.count ? shown[row] : "") else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        shown = visible
        return text
    }
}
