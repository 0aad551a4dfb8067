import CommandLine
import Moving

extension Command {
    /// The program: every command has its row here.
    static let woodshed: Command = Command(
        name: "woodshed",
        summary: "Keeps a musician's next services ready: plans, charts and marks, every page as an image, offline",
        examples: [
            Example("woodshed demo", "See what it does, without an account."),
            Example("woodshed setup", "Set up your own account."),
            Example("woodshed ready", "See whether everything for the next plan is here."),
        ],
        subcommands: [
            setup,
            signIn,
            signOut,
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
            exportHome,
            importHome,
            install,
            help,
        ])
}
