import CommandLine

/// What the configuration is made from, besides the defaults.
struct ConfigurationSources: Sendable {
    let environment: Environment
    /// `--home`, as an absolute path.
    var home: String?
    /// `--config`, as an absolute path.
    var file: String?
    /// Settings that were given as flags, by key.
    var flags: [String: InputValue] = [:]

    init(environment: Environment, home: String? = nil, file: String? = nil, flags: [String: InputValue] = [:]) {
        self.environment = environment
        self.home = home
        self.file = file
        self.flags = flags
    }

    init(_ invocation: Invocation, environment: Environment) {
        self.init(environment: environment, home: invocation.value("home"), file: invocation.value("config"))
        for setting in Options.settings {
            if let value = invocation.flags[setting.flag]?.last { flags[setting.key] = value }
        }
    }
}
