/// Why a value is not what it should be: said about the value, without the name of what it was given for.
package struct InputProblem: Error, Hashable, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
