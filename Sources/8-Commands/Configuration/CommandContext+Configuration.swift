package import CommandLine

extension CommandContext {
    /// The configuration that results from flags, environment, file and defaults.
    package func configuration(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        do {
            return try Configuration.load(ConfigurationSources(invocation, environment: environment))
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    package init(_ error: ConfigurationError) {
        self.init(.configuration, error.description)
    }

    package init(_ error: SecretError) {
        self.init(.configuration, error.description)
    }
}
