extension Command {
    /// The program: every command has its row here.
    static let woodshed: Command = Command(
        name: "woodshed",
        summary: "Keeps a musician's next services ready: plans, charts and marks, every page as an image, offline",
        examples: [
            Example("woodshed demo", "See what it does, without an account."),
            Example("woodshed config init", "Write a configuration file with every option explained."),
            Example("woodshed config check", "See whether the configuration is sound."),
        ],
        subcommands: [
            ready,
            status,
            sync,
            agent,
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

    /// `woodshed help config show`, for those who expect it.
    private static let help: Command = Command(
        name: "help",
        summary: "Prints the help of a command",
        parameters: [Parameter("command", "the command's name; nothing for the program's own help", isOptional: true, isRepeated: true)],
        examples: [Example("woodshed help config show", "Print the help of 'woodshed config show'.")],
        run: { invocation, context throws(CommandFailure) in
            let names: [String] = invocation.arguments("command")
            guard let command = Command.woodshed.descendant(names) else {
                throw CommandFailure(.usage, "there is no command '\(names.joined(separator: " "))'\nRun 'woodshed --help' for a list.")
            }
            let width = min(context.output.terminal.width ?? 80, 100)
            context.output.result(text: HelpText(command: command, names: ["woodshed"] + names, width: width).text)
            return .fine
        })
}
