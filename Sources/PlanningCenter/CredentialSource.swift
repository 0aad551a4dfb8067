public import Platform

/// Where an account's token is kept, so that it can be read again while we run.
public struct CredentialSource: Sendable {
    /// Whether reading costs nothing and bothers nobody, as with a file; a command may ask a person for a password.
    let isCheap: Bool
    let read: @LoopActor @Sendable () async throws -> Secret

    /// Describes a source; `read` throws a sentence for people where there is no token.
    public init(isCheap: Bool, read: @escaping @LoopActor @Sendable () async throws -> Secret) {
        self.isCheap = isCheap
        self.read = read
    }
}
