import Glibc

/// The process's terminal, if it has one. Tests create their own.
package struct Terminal: Sendable {
    /// The two streams of a program.
    package enum Stream: Hashable, Sendable {
        /// Standard output: the results of the command.
        case results
        /// Standard error: everything else.
        case messages
    }

    package let showsResults: Bool
    package let showsMessages: Bool
    /// Whether no colours are used: `NO_COLOR` is set, or the terminal is dumb.
    package let isPlain: Bool
    /// Whether the cursor cannot be moved: `TERM` is `dumb`.
    package let isDumb: Bool
    private let measure: @Sendable () -> Int?

    package init(
        showsResults: Bool, showsMessages: Bool, environment: Environment = [:], measure: @escaping @Sendable () -> Int? = { 80 }
    ) {
        (self.showsResults, self.showsMessages) = (showsResults, showsMessages)
        isDumb = environment["TERM"] == "dumb"
        isPlain = isDumb || environment["NO_COLOR"] != nil
        self.measure = measure
    }

    /// The terminal of this process.
    package static func ofProcess(_ environment: Environment) -> Terminal {
        // Keep the width between 20, enough for one word, and 1000, more than any real terminal has.
        let columns = environment["COLUMNS"].flatMap { Int($0) }.map { min(max($0, 20), 1000) }
        return Terminal(showsResults: isatty(1) == 1, showsMessages: isatty(2) == 1, environment: environment) {
            var size = winsize()
            for descriptor: Int32 in [1, 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
                return Int(size.ws_col)
            }
            return columns ?? 80
        }
    }

    package func shows(_ stream: Stream) -> Bool {
        switch stream {
        case .results: showsResults
        case .messages: showsMessages
        }
    }

    package func hasColor(_ stream: Stream) -> Bool { shows(stream) && !isPlain }

    /// The terminal's current width in columns. Nil if results do not go to a terminal, in which case nothing is cut off.
    package var width: Int? { showsResults ? measure() : nil }

    /// The width for a line that is redrawn on standard error; nil if the line cannot be redrawn.
    var liveWidth: Int? { showsMessages && !isDumb ? measure() : nil }
}

/// A text style on a terminal.
package enum Style: String, Sendable, CaseIterable {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"

    /// `text` in this style, with ECMA-48 escape sequences.
    package func applied(to text: String) -> String { Self.sequence(rawValue) + text + Self.sequence("0") }

    /// The escape sequences that styled text may contain.
    static let sequences = ["0"].map(sequence) + allCases.map { sequence($0.rawValue) }

    private static func sequence(_ code: String) -> String { "\u{1B}[\(code)m" }
}

/// The program that shows a long text on a terminal: the one in PAGER, otherwise `less` or `more`.
package enum Pager {
    /// Shows `text` in the pager, or prints it if no pager is wanted or can run. The pager replaces this process, so that it
    /// receives all the terminal's keys. Therefore, no work may be left to do.
    package static func show(_ text: String, on output: Output, environment: Environment) {
        // An empty PAGER means that the user wants no pager.
        if output.terminal.showsResults, !output.terminal.isDumb, environment.variables["PAGER"] != "" {
            become(environment["PAGER"], reading: text)
        }
        output.result(text: text)
    }

    /// Returns only if the pager cannot be started.
    private static func become(_ chosen: String?, reading text: String) {
        var name = Array("/tmp/woodshed-help-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { return }
        unlink(name)
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, lseek(file, 0, SEEK_SET) == 0, dup2(file, STDIN_FILENO) >= 0 else { return }
        // With these options, `less` quits after a text that fits on one screen, and shows bold letters.
        setenv("LESS", "FRX", 0)
        for words in chosen.map({ [["sh", "-c", $0]] }) ?? [["less"], ["more"]] {
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            execvp(words[0], &arguments)
            for each in arguments { free(each) }
        }
    }
}
