/// A command line that was not understood.
struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    let message: String
    /// The names of the command that was found before the fault, beginning with the program's.
    let command: [String]

    var description: String {
        "\(message)\nRun '\((command + ["--help"]).joined(separator: " "))' for help."
    }
}
