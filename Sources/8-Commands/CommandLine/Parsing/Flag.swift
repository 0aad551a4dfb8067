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
    /// Whether it can be given several times; otherwise the last one counts.
    package let isRepeated: Bool

    /// A flag without a value.
    package init(_ name: String, short: Character? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.argument = nil
        self.help = help
        self.isRepeated = false
    }

    /// A flag with a value, which is checked while the command line is parsed.
    package init(
        _ name: String, short: Character? = nil, _ placeholder: String, type: InputType = .text, isRepeated: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.short = short
        self.argument = Argument(placeholder: placeholder, type: type)
        self.help = help
        self.isRepeated = isRepeated
    }

    /// The flags that every command accepts.
    package static let common = [
        Flag("home", "DIR", type: .path, "put configuration, data, cache, runtime and music folders in DIR, as $WOODSHED_HOME does"),
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
