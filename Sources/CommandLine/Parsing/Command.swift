import Platform

/// One row of the command table. The same row parses the command line, checks it and prints the help,
/// so that a new command is one file and one line in `Command.woodshed`.
package struct Command: Sendable {
    /// What a command does. A thrown failure is printed on standard error and gives the exit code.
    package typealias Run = @Sendable @LoopActor (Invocation, CommandContext) async throws(CommandFailure) -> ExitCode

    /// A line to copy, beginning with `woodshed`, and what it does.
    package struct Example: Sendable {
        package let line: String
        let effect: String

        package init(_ line: String, _ effect: String) {
            self.line = line
            self.effect = effect
        }
    }

    package let name: String
    /// One line for the list of commands, without a full stop.
    package let summary: String
    /// What the help says beyond the summary.
    package var details = ""
    package var parameters: [Parameter] = []
    /// Its own flags beside `--json`; those that every command takes are added by the parser.
    package var flags: [Flag] = []
    /// What it prints with `--json`; nil for one that has nothing for programs.
    package var json: JSONForm?
    package var examples: [Example]
    package var subcommands: [Command] = []
    /// The settings of the configuration that can be given as flags, too; the help does not list them.
    package var settings: [Flag] = []
    /// Whether it waits for SIGINT, SIGTERM and SIGHUP with `Signals.next`. They are blocked for such a command only;
    /// any other is simply ended by them.
    package var handlesSignals = false
    /// Nil for a mere group of subcommands.
    package var run: Run?

    package init(
        name: String, summary: String, details: String = "", parameters: [Parameter] = [], flags: [Flag] = [], json: JSONForm? = nil,
        examples: [Example], subcommands: [Command] = [], settings: [Flag] = [], handlesSignals: Bool = false, run: Run? = nil
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.flags = flags
        self.json = json
        self.examples = examples
        self.subcommands = subcommands
        self.settings = settings
        self.handlesSignals = handlesSignals
        self.run = run
    }

    /// The flags that no other command needs to have.
    var ownFlags: [Flag] { flags + (json == nil ? [] : [.json]) }

    /// The flags that are known after this command's name.
    var knownFlags: [Flag] { ownFlags + Flag.common + settings }

    /// The command at the end of these names, each a subcommand of the one before.
    package func descendant(_ names: some Sequence<String>) -> Command? {
        var command = self
        for name in names {
            guard let next = command.subcommands.first(where: { $0.name == name }) else { return nil }
            command = next
        }
        return command
    }
}
