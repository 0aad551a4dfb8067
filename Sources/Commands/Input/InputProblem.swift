/// Why a value is not what it should be: said about the value, without the name of what it was given for.
struct InputProblem: Error, Hashable, Sendable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
