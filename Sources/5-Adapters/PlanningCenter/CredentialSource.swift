public import Platform

/// The place where an account's token is kept, which can be read again while the program runs.
@LoopActor
public protocol CredentialSource: Sendable {
    /// Whether a read is free and disturbs nobody, as with a file; a command may ask a person for a password.
    nonisolated var isCheap: Bool { get }
    /// The token to begin with; it may already have to be read again (see `isDue`).
    func first() async throws -> Secret
    /// Whether this token should be read again before it is used, since it is about to expire or cannot be a token.
    func isDue(_ token: Secret) -> Bool
    /// Reads the token, perhaps because the service refused the former one. If there is none, the error is a sentence for people.
    func read(wasRefused: Bool) async throws -> Secret
    /// Whether another program has changed the place where the token is kept.
    var hasNews: Bool { get }
}

/// The defaults, for a token that is never renewed.
extension CredentialSource {
    public func first() async throws -> Secret { try await read(wasRefused: false) }
    public func isDue(_ token: Secret) -> Bool { false }
    public var hasNews: Bool { true }
}
