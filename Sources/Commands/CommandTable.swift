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
}
