import Platform
import Synchronization

/// Cleans up after a test, even if the test failed. Otherwise hundreds of abandoned agents, each with an open catalogue and open
/// folders, would use up the low descriptors that some tests need.
public final class AfterTest: Sendable {
    @TaskLocal private static var current: AfterTest?

    private let due = Mutex<[@Sendable @LoopActor () async -> Void]>([])

    /// Runs `body` when the current test has ended.
    public static func end(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        current?.due.withLock { $0.append(body) }
    }

    static func doing(_ test: () async throws -> Void) async throws {
        let after = AfterTest()
        do {
            try await $current.withValue(after) { try await test() }
        } catch {
            await after.endAll()
            throw error
        }
        await after.endAll()
    }

    private func endAll() async {
        while let next = due.withLock({ $0.popLast() }) { await next() }
    }
}
