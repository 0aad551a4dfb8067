public import Platform

/// Where an account's token is kept, so that it can be read again while the program runs.
public struct CredentialSource: Sendable {
    /// Whether reading it costs nothing and bothers nobody, as with a file; a command may ask a person for a password.
    let isCheap: Bool
    let read: @LoopActor @Sendable () async throws -> Secret

    /// Makes a source; if there is no token, `read` throws a sentence for people.
    public init(isCheap: Bool, read: @escaping @LoopActor @Sendable () async throws -> Secret) {
        self.isCheap = isCheap
        self.read = read
    }
}
