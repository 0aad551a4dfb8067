import CommandLine

extension CommandContext {
    /// The configuration as flags, environment, file and defaults make it.
    func configuration(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        do {
            return try Configuration.load(ConfigurationSources(invocation, environment: environment))
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    init(_ error: ConfigurationError) {
        self.init(.configuration, error.description)
    }

    init(_ error: SecretError) {
        self.init(.configuration, error.description)
    }
}
