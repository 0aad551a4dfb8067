import Platform

/// One row of the command table. The parser, the help, the man page and the shells' completions all use this row, so a new command
/// takes one file and one name in `Command.woodshed`.
package struct Command: Sendable {
    /// Does the command's work. Any error thrown is printed on standard error, and determines the exit code.
    package typealias Run = @Sendable @LoopActor (Invocation, CommandContext) async throws -> ExitCode

    /// A line for the user to copy, beginning with `woodshed`, and a description of its effect.
    package struct Example: Sendable {
        package let line: String
        package let effect: String

        package init(_ line: String, _ effect: String) { (self.line, self.effect) = (line, effect) }
    }

    /// A group of related commands in the help.
    package struct Group: Sendable {
        package let title: String
        package let commands: [Command]

        package init(_ title: String, _ commands: [Command]) { (self.title, self.commands) = (title, commands) }
    }

    package let name: String
    /// One line for the list of commands, without a full stop.
    package let summary: String
    /// More lines, which the help prints after the summary.
    package var details = ""
    package var parameters: [Parameter] = []
    /// The command's own flags except `--json`. The parser adds the flags that every command accepts.
    package var flags: [Flag] = []
    /// The form of the JSON output; nil if the command has none.
    package var json: (any PrintedForm)?
    package var examples: [Example]
    package let groups: [Group]
    package var subcommands: [Command] { groups.flatMap(\.commands) }
    /// The configuration's settings that can also be given as flags. The help does not list them.
    package var settings: [Flag] = []
    /// Whether the command waits for SIGINT, SIGTERM and SIGHUP with `Signals.next`. Only such commands block these signals; any
    /// other command is simply terminated by them.
    package var handlesSignals = false
    /// Nil for a group of subcommands that cannot run itself.
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

    /// The command's own flags, including `--json`, without the common flags and without settings.
    package var ownFlags: [Flag] { flags + (json == nil ? [] : [.json]) }

    /// The flags that may follow this command's name.
    var knownFlags: [Flag] { ownFlags + Flag.common + settings }

    /// The flags that may be given at this point: this command's, and those that a command below it may know.
    var flagsHere: [Flag] {
        guard !subcommands.isEmpty else { return knownFlags }
        let settings = subcommands.first { !$0.settings.isEmpty }?.settings ?? []
        return knownFlags + [Flag.json] + settings
    }

    /// The command reached by these names, each of which is a subcommand of the one before; nil if one of them does not exist.
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
    /// The value that the flag takes.
    package struct Argument: Sendable {
        /// The placeholder for the value in the help, as in `DIR`.
        package let placeholder: String
        package let type: InputType
    }

    /// The name without the leading dashes.
    package let name: String
    package let short: Character?
    /// Nil if the flag takes no value.
    package let argument: Argument?
    package let help: String
    /// Whether all values count if the flag is given several times. Otherwise only the last value counts.
    package let isRepeated: Bool
    /// The shell's suggestions for the flag's value; nil to use those of the value's type.
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

    /// For commands that can print JSON.
    package static let json = Flag("json", "print the result as JSON; 'woodshed help json' lists its fields")
    /// Handled by the parser itself.
    package static let help = Flag("help", short: "h", "print this help")
    /// Handled by the parser itself, after any command. Only the program's main help lists this flag.
    package static let version = Flag("version", short: "V", "print the version")

    /// The flag as shown in the help, for example `-o, --output FILE`.
    package var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--" + name + (argument.map { " " + $0.placeholder } ?? "")
    }
}

/// A positional argument.
package struct Parameter: Sendable {
    package let name: String
    package let help: String
    package var type: InputType = .text
    package var isOptional = false
    /// Whether only a flag makes it optional, so that the usage line shows it as required.
    package var isOptionalByFlag = false
    /// Whether the parameter takes all remaining words. Only a command's last parameter may.
    package var isRepeated = false
    /// The shell's suggestions for this parameter.
    var offer: Offer

    package init(_ name: String, _ help: String, type: InputType = .text, isOptional: Bool = false, isRepeated: Bool = false) {
        (self.name, self.help, self.type, self.isOptional, self.isRepeated) = (name, help, type, isOptional, isRepeated)
        offer = type.offer
    }

    /// The parameter as shown in the usage line.
    package var usage: String {
        let word = "<\(name)>" + (isRepeated ? "…" : "")
        return isOptional && !isOptionalByFlag ? "[\(word)]" : word
    }
}
