public import Platform

/// Where an account's token is kept, so that it can be read again while the program runs.
public struct CredentialSource: Sendable {
    /// Whether reading it costs nothing and bothers nobody, as with a file; a command may ask a person for a password.
    let isCheap: Bool
    /// Whether this token should be read again before it is used, since it is about to expire.
    let isDue: @LoopActor @Sendable (Secret) -> Bool
    /// Reads it; the service may have refused the one that was read before.
    let read: @LoopActor @Sendable (_ wasRefused: Bool) async throws -> Secret

    /// Makes a source; if there is no token, `read` throws a sentence for people.
    public init(
        isCheap: Bool, isDue: @escaping @LoopActor @Sendable (Secret) -> Bool = { _ in false },
        read: @escaping @LoopActor @Sendable (_ wasRefused: Bool) async throws -> Secret
    ) {
        self.isCheap = isCheap
        self.isDue = isDue
        self.read = read
    }

    /// The token, for the first time.
    @LoopActor
    public func read() async throws -> Secret { try await read(false) }
}
