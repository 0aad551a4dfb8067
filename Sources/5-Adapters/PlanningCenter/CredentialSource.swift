public import Platform

/// The store of an account's token, which can be read again while the program runs.
@LoopActor
public protocol CredentialSource: Sendable {
    /// Whether reading the token is free and disturbs nobody: true for a file, but not for a command, which may ask a person for a
    /// password.
    nonisolated var isCheap: Bool { get }
    /// The token to begin with. It may already be due to be read again (see `isDue`).
    func first() async throws -> Secret
    /// Whether this token should be read again before it is used, since it is about to expire or cannot be a token.
    func isDue(_ token: Secret) -> Bool
    /// Reads the token; `wasRefused` if the service refused the former one. If there is no token, the error is a sentence for people.
    func read(wasRefused: Bool) async throws -> Secret
    /// Whether another program has changed the stored token; true if this cannot be determined.
    var hasNews: Bool { get }
}

/// The defaults, for a token that is never renewed.
extension CredentialSource {
    public func first() async throws -> Secret { try await read(wasRefused: false) }
    public func isDue(_ token: Secret) -> Bool { false }
    public var hasNews: Bool { true }
}
