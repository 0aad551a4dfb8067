import Platform

/// One row of the command table. The same row is used to parse the command line, check it and print the help,
/// so that a new command takes one file and one line in `Command.woodshed`.
package struct Command: Sendable {
    /// Does the command's work. Any error is printed on standard error; a `CommandFailure` gives the exit code, too.
    package typealias Run = @Sendable @LoopActor (Invocation, CommandContext) async throws -> ExitCode

    /// A line to copy, beginning with `woodshed`, and its effect.
    package struct Example: Sendable {
        package let line: String
        package let effect: String

        package init(_ line: String, _ effect: String) { (self.line, self.effect) = (line, effect) }
    }

    /// Commands that belong together, as the help lists them.
    package struct Group: Sendable {
        package let title: String
        package let commands: [Command]

        package init(_ title: String, _ commands: [Command]) { (self.title, self.commands) = (title, commands) }
    }

    package let name: String
    /// One line for the list of commands, without a full stop.
    package let summary: String
    /// The help has these lines after the summary.
    package var details = ""
    package var parameters: [Parameter] = []
    /// Its own flags except `--json`; the parser adds those that every command accepts.
    package var flags: [Flag] = []
    /// Nil if it prints nothing for programs.
    package var json: (any PrintedForm)?
    package var examples: [Example]
    package let groups: [Group]
    package var subcommands: [Command] { groups.flatMap(\.commands) }
    /// The configuration's settings that can also be given as flags; the help does not list them.
    package var settings: [Flag] = []
    /// It waits for SIGINT, SIGTERM and SIGHUP with `Signals.next`. They are blocked only for such commands;
    /// any other command is simply ended by them.
    package var handlesSignals = false
    /// Nil for a group of subcommands that does nothing itself.
    package var run: Run?

    package init(
        name: String, summary: String, details: String = "", parameters: [Parameter] = [], flags: [Flag] = [],
        json: (any PrintedForm)? = nil,
        examples: [Example], subcommands: [Command] = [], groups: [Group] = [], settings: [Flag] = [], handlesSignals: Bool = false,
        run: Run? = nil
    ) {
        self.name = name
        self.summary = summary
        (self.details, self.parameters, self.flags, self.json, self.examples) = (details, parameters, flags, json, examples)
        self.groups = groups + (subcommands.isEmpty ? [] : [Group("Commands", subcommands)])
        (self.settings, self.handlesSignals, self.run) = (settings, handlesSignals, run)
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

/// An option of the command line.
package struct Flag: Sendable {
    /// The value expected after its name.
    package struct Argument: Sendable {
        /// The word that stands for it in the help, as in `DIR`.
        package let placeholder: String
        package let type: InputType
    }

    /// Without the leading dashes.
    package let name: String
    package let short: Character?
    /// Nil if it takes no value.
    package let argument: Argument?
    package let help: String
    /// It can be given several times; otherwise the last one counts.
    package let isRepeated: Bool
    /// A shell's suggestions for its value, if they do not follow from the value's type.
    var offer: Offer?

    /// A flag without a value.
    package init(_ name: String, short: Character? = nil, _ help: String) {
        (self.name, self.short) = (name, short)
        self.argument = nil
        self.help = help
        self.isRepeated = false
    }

    /// A flag with a value, which is checked while the command line is parsed.
    package init(
        _ name: String, short: Character? = nil, _ placeholder: String, type: InputType = .text, isRepeated: Bool = false,
        _ help: String
    ) {
        (self.name, self.short) = (name, short)
        self.argument = Argument(placeholder: placeholder, type: type)
        (self.help, self.isRepeated) = (help, isRepeated)
    }

    /// The flags that every command accepts.
    package static let common = [
        Flag("home", "DIR", type: .path, "put configuration, data, cache, runtime and music folders in DIR, as $WOODSHED_HOME does")
            .offering(.folders),
        Flag("config", "FILE", type: .path, "read the configuration from FILE"),
        help,
    ]

    /// For commands that print something for programs to read.
    package static let json = Flag("json", "print the result as one line of JSON; 'woodshed help json' lists its fields")
    /// Handled by the parser itself.
    package static let help = Flag("help", short: "h", "print this help")
    /// Handled by the parser itself, after any command; only the program's own help lists it.
    package static let version = Flag("version", short: "V", "print the version")

    /// As shown in the help, for example `-o, --output FILE`.
    package var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--" + name + (argument.map { " " + $0.placeholder } ?? "")
    }
}

/// A word on the command line whose meaning comes from its position.
package struct Parameter: Sendable {
    package let name: String
    package let help: String
    package var type: InputType = .text
    package var isOptional = false
    /// It takes all remaining words; only a command's last parameter may.
    package var isRepeated = false
    /// A shell's suggestions for it.
    var offer: Offer

    package init(_ name: String, _ help: String, type: InputType = .text, isOptional: Bool = false, isRepeated: Bool = false) {
        (self.name, self.help, self.type, self.isOptional, self.isRepeated) = (name, help, type, isOptional, isRepeated)
        offer = type.offer
    }

    /// As shown in the usage line.
    package var usage: String {
        let word = "<\(name)>" + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }
}
