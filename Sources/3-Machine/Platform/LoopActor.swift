/// The isolation of everything that runs on the loop's thread.
///
/// State lives in `@LoopActor` classes, never in this actor itself.
@globalActor
public actor LoopActor {
    /// The one instance.
    public static let shared = LoopActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Loop.shared.asUnownedSerialExecutor() }

    /// Runs `operation` as isolated to the loop, for callbacks that C libraries make on the loop's thread.
    ///
    /// Stops the program if it is called on another thread. It works like `MainActor.assumeIsolated`, which the
    /// standard library offers for the main actor only: the check justifies the cast of the isolation.
    public static func assumeIsolated<Result: Sendable>(_ operation: @LoopActor () throws -> Result) rethrows -> Result {
        Loop.shared.checkIsolated()
        return try withoutActuallyEscaping(operation) { escaping in
            try unsafeBitCast(escaping, to: (() throws -> Result).self)()
        }
    }
}

/// Starts a task on the loop.
///
/// Every task must be started here: one without the executor preference would resume through the standard library's
/// global executor, whose thread pool wakes up once a second for ever after its first use.
@discardableResult
public func spawn<Success: Sendable>(
    _ body: @escaping @Sendable @LoopActor () async -> Success
) -> Task<Success, Never> {
    Task(executorPreference: Loop.shared) { await body() }
}

/// Starts a task on the loop that can fail.
@discardableResult
public func spawnThrowing<Success: Sendable>(
    _ body: @escaping @Sendable @LoopActor () async throws -> Success
) -> Task<Success, any Error> {
    Task(executorPreference: Loop.shared) { try await body() }
}
