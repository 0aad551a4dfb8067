/// Why there is no token. Never contains any part of one.
struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
