import Platform

/// One row of the command table. The same row is used to parse the command line, check it and print the help,
/// so that a new command takes one file and one line in `Command.woodshed`.
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
    /// Its own flags except `--json`; the parser adds those that every command accepts.
    package var flags: [Flag] = []
    /// What it prints with `--json`; nil if it prints nothing for programs.
    package var json: (any PrintedForm)?
    package var examples: [Example]
    package var subcommands: [Command] = []
    /// The configuration's settings that can also be given as flags; the help does not list them.
    package var settings: [Flag] = []
    /// Whether it waits for SIGINT, SIGTERM and SIGHUP with `Signals.next`. They are blocked only for such commands;
    /// any other command is simply ended by them.
    package var handlesSignals = false
    /// Nil for a group of subcommands that does nothing itself.
    package var run: Run?

    package init(
        name: String, summary: String, details: String = "", parameters: [Parameter] = [], flags: [Flag] = [],
        json: (any PrintedForm)? = nil,
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

    /// The flags that not every command has.
    package var ownFlags: [Flag] { flags + (json == nil ? [] : [.json]) }

    /// The flags that may follow this command's name.
    var knownFlags: [Flag] { ownFlags + Flag.common + settings }

    /// The command that these names lead to, each name a subcommand of the one before.
    package func descendant(_ names: some Sequence<String>) -> Command? {
        var command = self
        for name in names {
            guard let next = command.subcommands.first(where: { $0.name == name }) else { return nil }
            command = next
        }
        return command
    }
}
