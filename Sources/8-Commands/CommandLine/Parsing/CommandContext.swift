package import Platform

/// What every command works with; tests provide their own.
package struct CommandContext: Sendable {
    package let output: Output
    package let environment: Environment
    package let clock: any TimeKeeper
    /// Has the commands that messages name carry these options from now on, so that they lead to the same library.
    package let reach: @Sendable (_ options: String) -> Void

    package init(
        output: Output, environment: Environment, clock: any TimeKeeper = SystemClock(),
        reach: @escaping @Sendable (_ options: String) -> Void = { _ in }
    ) {
        self.output = output
        self.environment = environment
        self.clock = clock
        self.reach = reach
    }

    /// Says why a command ends without an answer, both to people and to programs.
    package func tell(_ failure: CommandFailure, of invocation: Invocation) {
        output.error(failure.message)
        guard failure.code != .usage, invocation.has("json"), let form = invocation.command.json else { return }
        output.failure(failure.message, as: form)
    }
}
