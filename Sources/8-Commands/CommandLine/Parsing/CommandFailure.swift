/// Why a command could not go on: what to tell the user, and the exit code for scripts.
package struct CommandFailure: Error, Equatable, Sendable {
    package let code: ExitCode
    /// One or more lines; when it is printed, the program's name comes before the first.
    package let message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
