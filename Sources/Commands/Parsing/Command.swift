import Platform

/// One row of the command table. The same row parses the command line, checks it and prints the help,
/// so that a new command is one file and one line in `Command.woodshed`.
struct Command: Sendable {
    /// What a command does. A thrown failure is printed on standard error and gives the exit code.
    typealias Run = @Sendable @LoopActor (Invocation, CommandContext) async throws(CommandFailure) -> ExitCode

    /// A line to copy, beginning with `woodshed`, and what it does.
    struct Example: Sendable {
        let line: String
        let effect: String

        init(_ line: String, _ effect: String) {
            self.line = line
            self.effect = effect
        }
    }

    let name: String
    /// One line for the list of commands, without a full stop.
    let summary: String
    /// What the help says beyond the summary.
    var details = ""
    var parameters: [Parameter] = []
    /// Its own flags beside `--json`; those that every command takes are added by the parser.
    var flags: [Flag] = []
    /// What it prints with `--json`; nil for one that has nothing for programs.
    var json: JSONForm?
    var examples: [Example]
    var subcommands: [Command] = []
    /// Whether every setting of the configuration can be given as a flag too.
    var takesSettings = false
    /// Whether it waits for SIGINT, SIGTERM and SIGHUP with `Signals.next`. They are blocked for such a command only;
    /// any other is simply ended by them.
    var handlesSignals = false
    /// Nil for a mere group of subcommands.
    var run: Run?

    /// The flags that no other command needs to have.
    var ownFlags: [Flag] { flags + (json == nil ? [] : [.json]) }

    /// The flags that are known after this command's name.
    var knownFlags: [Flag] {
        ownFlags + Flag.common + (takesSettings ? Options.settings.map(Flag.init(setting:)) : [])
    }

    /// The command at the end of these names, each a subcommand of the one before.
    func descendant(_ names: some Sequence<String>) -> Command? {
        var command = self
        for name in names {
            guard let next = command.subcommands.first(where: { $0.name == name }) else { return nil }
            command = next
        }
        return command
    }
}
