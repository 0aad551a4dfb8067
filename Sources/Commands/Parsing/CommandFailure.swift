import Agent

/// Why a command could not go on: what to tell the user, and the exit code for scripts.
struct CommandFailure: Error, Equatable, Sendable {
    let code: ExitCode
    /// One line or several; the program's name is put before the first when it is printed.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: ConfigurationError) {
        self.init(.configuration, error.description)
    }

    init(_ error: SecretError) {
        self.init(.configuration, error.description)
    }

    /// What any error that a command meets on its way means for it.
    init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as AgentLock.Failure:
            if case .held = failure { self.init(.locked, "\(failure)") } else { self.init(.failed, "\(failure)") }
        default: self.init(.failed, "\(error)")
        }
    }
}
