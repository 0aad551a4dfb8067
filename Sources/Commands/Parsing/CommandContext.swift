import Platform

/// What every command works with; a test hands in its own.
struct CommandContext: Sendable {
    let output: Output
    let environment: Environment
    let clock: any TimeKeeper

    init(output: Output, environment: Environment, clock: any TimeKeeper = SystemClock()) {
        self.output = output
        self.environment = environment
        self.clock = clock
    }

    /// Says why a command ends without an answer, to people and to programs.
    func tell(_ failure: CommandFailure, of invocation: Invocation) {
        output.error(failure.message)
        guard failure.code != .usage, invocation.has("json"), let form = invocation.command.json else { return }
        output.result(form.failure(failure.message), as: form)
    }

    /// The configuration as flags, environment, file and defaults make it.
    func configuration(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        do {
            return try Configuration.load(ConfigurationSources(invocation, environment: environment))
        } catch {
            throw CommandFailure(error)
        }
    }
}
