/// The help of a command, generated from its row of the table.
package struct HelpText {
    package let command: Command
    /// The names that lead to the command, the program's name first.
    package let names: [String]
    /// The column at which lines are wrapped.
    package var width = 80

    package init(command: Command, names: [String], width: Int = 80) { (self.command, self.names, self.width) = (command, names, width) }

    private var isProgram: Bool { names.count == 1 }
    private var name: String { names.joined(separator: " ") }

    /// The whole text, ending in a line break.
    package var text: String {
        var parts = [usage, wrapped(command.summary + ".", indent: 0)]
        if !command.details.isEmpty { parts.append(wrapped(command.details, indent: 0)) }
        // All groups share the width of the first column.
        let longest = command.subcommands.map(\.name.count).max() ?? 0
        for group in command.groups {
            parts.append("\(group.title):\n" + Self.rows(group.commands.map { ($0.name, $0.summary) }, width: width, longest: longest))
        }
        if !command.parameters.isEmpty { parts.append("Arguments:\n" + rows(command.parameters.map { ($0.usage, $0.help) })) }
        let flags = command.ownFlags + Flag.common + (isProgram ? [.version] : [])
        parts.append("Options:\n" + rows(flags.map { ($0.usage, $0.help) }))
        if !command.settings.isEmpty {
            parts.append(
                wrapped(
                    "Every setting in the configuration can also be given as an option, as in --render-workers=2; "
                        + "'woodshed config show' lists them.", indent: 0))
        }
        if isProgram { parts.append("Exit codes:\n" + rows(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })) }
        parts.append("Examples:\n" + command.examples.map { "  \($0.line)\n" + wrapped($0.effect, indent: 6) }.joined(separator: "\n"))
        if !command.subcommands.isEmpty { parts.append("'\(name) COMMAND --help' says more about a command.") }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var usage: String {
        let words = command.parameters.map(\.usage)
        let own = ([name] + words + ["[OPTION…]"]).joined(separator: " ")
        let nested = "\(name) COMMAND [OPTION…]"
        switch (command.run != nil, command.subcommands.isEmpty) {
        case (true, true): return "Usage: \(own)"
        case (true, false): return "Usage: \(own)\n       \(nested)"
        case (false, _): return "Usage: \(nested)"
        }
    }

    private func rows(_ rows: [(term: String, help: String)]) -> String { Self.rows(rows, width: width) }

    private func wrapped(_ text: String, indent: Int) -> String { Self.wrapped(text, indent: indent, width: width) }

    /// Terms in one column, and their meanings in a second.
    package static func rows(_ rows: [(term: String, help: String)], width: Int, longest: Int = 0) -> String {
        let column = min(max(rows.map { DisplayWidth.of($0.term) }.max() ?? 0, longest) + 4, 30)
        return rows.map { term, help in
            let term = "  " + term
            let body = wrapped(help, indent: column, width: width)
            // A term that is too long for the first column gets its own line.
            guard DisplayWidth.of(term) + 2 <= column else { return term + "\n" + body }
            return term + body.dropFirst(DisplayWidth.of(term))
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, indent: Int, width: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, indent + DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line)
        }
        return lines.map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }
}
