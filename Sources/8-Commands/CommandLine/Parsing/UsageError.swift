/// A command line that was not understood.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    package let message: String
    /// The names of the command that was recognised before the mistake, beginning with the program's.
    package let command: [String]

    package var description: String {
        "\(message)\nRun '\((command + ["--help"]).joined(separator: " "))' for help."
    }
}
