/// Why there is no token. Never contains any part of one.
package struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
