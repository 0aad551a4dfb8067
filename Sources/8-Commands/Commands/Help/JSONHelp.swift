import CommandLine

/// The fields of commands' output for programs; what holds for all of them is in the manual's page.
struct JSONHelp {
    let command: Command
    /// The words that lead to the command, the program's name first.
    let names: [String]
    /// The column at which lines are wrapped.
    let width: Int

    var text: String { parts(command, names).joined(separator: "\n\n") + "\n" }

    private func parts(_ command: Command, _ names: [String]) -> [String] {
        let own = command.json.map { form in
            "\(names.joined(separator: " ")) --json, schema \(form.schema):\n"
                + HelpText.rows(form.rows.map { (term: $0.path, help: $0.help) }, width: width)
        }
        return [own].compactMap(\.self) + command.subcommands.flatMap { parts($0, names + [$0.name]) }
    }
}
