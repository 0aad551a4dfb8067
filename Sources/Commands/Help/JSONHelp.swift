import CommandLine

/// The page that lists the fields of commands' output for programs.
struct JSONHelp {
    let command: Command
    /// The words that lead to the command, the program's name first.
    let names: [String]
    /// The column at which lines are wrapped.
    let width: Int

    var text: String { ([Self.preface] + parts(command, names)).joined(separator: "\n\n") + "\n" }

    private func parts(_ command: Command, _ names: [String]) -> [String] {
        let own = command.json.map { form in
            "\(names.joined(separator: " ")) --json, schema \(form.schema):\n"
                + HelpText.rows(form.fields.map { ($0.path, $0.help) }, width: width)
        }
        return [own].compactMap(\.self) + command.subcommands.flatMap { parts($0, names + [$0.name]) }
    }

    private static let preface = """
        With --json a command prints one line: an object. Its field 'schema' is the
        version of its form; it goes up when a field changes its meaning or is removed.
        New fields may be added without that. If a command cannot answer, the object has
        'schema' and 'error', the reason in words; ready, status and sync also say
        "ready": false. The exit code is the same as without --json. Only a command
        line that is not understood prints nothing. Times are UTC, as in
        2026-11-22T09:30:00Z, but times within sentences are in this machine's time
        zone; sizes are in bytes, pages count from 1, and null means not known or not
        there.
        """
}
