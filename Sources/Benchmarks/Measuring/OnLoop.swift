import Platform

/// Runs `body` on the loop, which the calling thread runs until then, and returns its result.
func onLoop<Value: Sendable>(_ body: @escaping @Sendable @LoopActor () async throws -> Value) throws -> Value {
    let outcome = Outcome<Value>()
    _ = Loop.shared.run {
        do {
            outcome.result = .success(try await body())
        } catch {
            outcome.result = .failure(error)
        }
        return 0
    }
    guard let result = LoopActor.assumeIsolated({ outcome.result }) else { throw BenchmarkFailure("it did not run to its end") }
    return try result.get()
}

/// Carries a result out of the loop.
@LoopActor
private final class Outcome<Value: Sendable> {
    var result: Result<Value, any Error>?
    nonisolated init() {}
}
