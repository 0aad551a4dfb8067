public import Platform

/// Where an account's token is kept, so that it can be read again while the program runs.
@LoopActor
public protocol CredentialSource: Sendable {
    /// Whether reading it costs nothing and bothers nobody, as with a file; a command may ask a person for a password.
    nonisolated var isCheap: Bool { get }
    /// The token to begin with; it may be due.
    func first() async throws -> Secret
    /// Whether this token should be read again before it is used, since it is about to expire or cannot be a token.
    func isDue(_ token: Secret) -> Bool
    /// Reads the token; the service may have refused the former one. If there is no token, the error is a sentence for people.
    func read(wasRefused: Bool) async throws -> Secret
    /// Whether another program has written where the token is kept.
    var hasNews: Bool { get }
}

/// A token that is never renewed.
extension CredentialSource {
    public func first() async throws -> Secret { try await read(wasRefused: false) }
    public func isDue(_ token: Secret) -> Bool { false }
    public var hasNews: Bool { true }
}
