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

    /// The settings for everybody on this machine, below the user's own.
    package var machineFile: String? { environment.machineFolder.map { $0 + "/woodshed.yaml" } }

    /// The folder for everything: `--home`, or else the one that the environment names.
    package var homeFolder: String? { home ?? (try? Self.home(in: environment)) ?? nil }

    /// The environment variable that means the same as `--home`.
    static let homeVariable = Setting.variablePrefix + "HOME"

    static func home(in environment: Environment) throws(InputProblem) -> String? {
        guard let text = environment[homeVariable] else { return nil }
        guard case .text(let path) = try InputType.path.parse(text, base: PathBase(home: environment.home, folder: PathBase.currentFolder))
        else { return nil }
        return path
    }

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
