/// Why a value is not acceptable; it is about the value only, and does not name the setting or flag.
package struct InputProblem: Error, Hashable, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
