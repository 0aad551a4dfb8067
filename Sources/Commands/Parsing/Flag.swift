/// An option of the command line.
struct Flag: Sendable {
    /// What it expects after its name.
    struct Argument: Sendable {
        /// The word that stands for it in the help, as in `DIR`.
        let placeholder: String
        let type: InputType
    }

    /// Without the leading dashes.
    let name: String
    let short: Character?
    /// Nil for one that is only there or not.
    let argument: Argument?
    let help: String
    /// Whether every occurrence counts; otherwise the last one does.
    let isRepeated: Bool

    /// A flag without a value.
    init(_ name: String, short: Character? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.argument = nil
        self.help = help
        self.isRepeated = false
    }

    /// A flag with a value, which is checked while the command line is read.
    init(
        _ name: String, short: Character? = nil, _ placeholder: String, type: InputType = .text, isRepeated: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.short = short
        self.argument = Argument(placeholder: placeholder, type: type)
        self.help = help
        self.isRepeated = isRepeated
    }

    /// The flag that overrides a setting of the configuration.
    init(setting: Setting) {
        self.init(setting.flag, setting.type.placeholder, type: setting.type, setting.summary)
    }

    /// What every command takes.
    static let common = [
        Flag("home", "DIR", type: .path, "put the configuration, data, cache, runtime and music folders in DIR"),
        Flag("config", "FILE", type: .path, "read the configuration from FILE"),
        help,
    ]

    /// For commands that have something to read.
    static let json = Flag("json", "print the result as one line of JSON; 'woodshed help json' lists its fields")
    /// Recognised by the parser itself.
    static let help = Flag("help", short: "h", "print this help")
    /// Recognised by the parser itself, for the program only.
    static let version = Flag("version", "print the version")

    /// As the help shows it, as in `-o, --output FILE`.
    var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--" + name + (argument.map { " " + $0.placeholder } ?? "")
    }
}
