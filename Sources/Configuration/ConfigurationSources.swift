package import CommandLine

/// What the configuration is made from, besides the defaults.
package struct ConfigurationSources: Sendable {
    package let environment: Environment
    /// `--home`, as an absolute path.
    package var home: String?
    /// `--config`, as an absolute path.
    package var file: String?
    /// Settings that were given as flags, by key.
    package var flags: [String: InputValue] = [:]

    package init(environment: Environment, home: String? = nil, file: String? = nil, flags: [String: InputValue] = [:]) {
        self.environment = environment
        self.home = home
        self.file = file
        self.flags = flags
    }

    package init(_ invocation: Invocation, environment: Environment) {
        self.init(environment: environment, home: invocation.value("home"), file: invocation.value("config"))
        for setting in Options.settings {
            if let value = invocation.flags[setting.flag]?.last { flags[setting.key] = value }
        }
    }
}
