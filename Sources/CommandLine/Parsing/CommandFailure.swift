/// Why a command could not go on: what to tell the user, and the exit code for scripts.
package struct CommandFailure: Error, Equatable, Sendable {
    package let code: ExitCode
    /// One line or several; the program's name is put before the first when it is printed.
    package let message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
