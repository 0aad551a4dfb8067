import CommandLine

extension Command {
    /// The program: every command has its row here.
    static let woodshed: Command = Command(
        name: "woodshed",
        summary: "Keeps a musician's next services ready: plans, charts and marks, every page as an image, offline",
        examples: [
            Example("woodshed demo", "See what it does, without an account."),
            Example("woodshed config init", "Write a configuration file with every option explained."),
            Example("woodshed config check", "Check the configuration for mistakes."),
        ],
        subcommands: [
            ready,
            status,
            open,
            sync,
            agent,
            pause,
            resume,
            select,
            demo,
            plans,
            log,
            accept,
            pin,
            unpin,
            layers,
            page,
            why,
            cache,
            doctor,
            config,
            help,
        ])

    /// `woodshed help config show`, for those who expect a help command.
    private static let help: Command = Command(
        name: "help",
        summary: "Prints a command's help; 'help json' lists the fields that --json prints",
        parameters: [
            Parameter(
                "command", "the command's name; leave it out for general help; put 'json' before it for JSON fields", isOptional: true,
                isRepeated: true)
        ],
        examples: [
            Example("woodshed help config show", "Print the help of 'woodshed config show'."),
            Example("woodshed help json", "List the fields of all JSON output."),
            Example("woodshed help json ready", "List the fields of what 'woodshed ready --json' prints."),
        ],
        run: { invocation, context throws(CommandFailure) in
            let words: [String] = invocation.arguments("command")
            let isForPrograms = words.first == "json"
            let names = Array(words.dropFirst(isForPrograms ? 1 : 0))
            guard let command = Command.woodshed.descendant(names) else {
                throw CommandFailure(.usage, "there is no command '\(names.joined(separator: " "))'\nRun 'woodshed --help' for a list.")
            }
            let width = min(context.output.terminal.width ?? 80, 100)
            let full = ["woodshed"] + names
            context.output.result(
                text: isForPrograms
                    ? JSONHelp(command: command, names: full, width: width).text
                    : HelpText(command: command, names: full, width: width).text)
            return .fine
        })
}
