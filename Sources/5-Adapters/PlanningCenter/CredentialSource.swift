public import Platform

/// Where an account's token is kept, so that it can be read again while the program runs.
public struct CredentialSource: Sendable {
    /// Whether reading it costs nothing and bothers nobody, as with a file; a command may ask a person for a password.
    let isCheap: Bool
    /// Whether this token should be read again before it is used, since it is about to expire, or is none.
    var isDue: @LoopActor @Sendable (Secret) -> Bool = { _ in false }
    /// Whether a change of where it is kept is somebody else's.
    private var isElsewhere: @LoopActor @Sendable () -> Bool = { true }
    /// Reads it; the service may have refused the one that was read before.
    let read: @LoopActor @Sendable (_ wasRefused: Bool) async throws -> Secret
    private var first: (@LoopActor @Sendable () throws -> Secret)?

    /// Makes a source; if there is no token, `read` throws a sentence for people.
    public init(isCheap: Bool, read: @escaping @LoopActor @Sendable (_ wasRefused: Bool) async throws -> Secret) {
        self.isCheap = isCheap
        self.read = read
    }

    /// The same for a token that has to be renewed now and then. `first` gives one at once, which may be due; `isElsewhere` tells whether a
    /// change of where it is kept is somebody else's.
    public init(
        isDue: @escaping @LoopActor @Sendable (Secret) -> Bool, isElsewhere: @escaping @LoopActor @Sendable () -> Bool,
        first: @escaping @LoopActor @Sendable () throws -> Secret,
        read: @escaping @LoopActor @Sendable (_ wasRefused: Bool) async throws -> Secret
    ) {
        self.init(isCheap: true, read: read)
        (self.isDue, self.isElsewhere, self.first) = (isDue, isElsewhere, first)
    }

    /// The token, for the first time.
    @LoopActor
    public func read() async throws -> Secret {
        if let first { return try first() }
        return try await read(false)
    }

    /// Whether what was written where the token is kept was written by somebody else.
    @LoopActor
    public var hasNews: Bool { isElsewhere() }
}
