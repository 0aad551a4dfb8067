import Agent
package import CommandLine
import Configuration

extension CommandFailure {
    /// Turns any error that a command runs into into a failure with the right exit code.
    package init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConfigurationError: self.init(error)
        case let failure as AgentLock.Failure:
            if case .held = failure { self.init(.locked, "\(failure)") } else { self.init(.failed, "\(failure)") }
        default: self.init(.failed, "\(error)")
        }
    }
}

extension CommandContext {
    /// Says why a command ends without an answer, both to people and to programs, and returns its code.
    package func fail(_ error: any Error, of invocation: Invocation) -> ExitCode {
        let failure = CommandFailure(of: error)
        tell(failure, of: invocation)
        return failure.code
    }
}
