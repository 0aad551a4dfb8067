import Platform
public import Testing
import Glibc

/// Gives the loop a thread of this test process, so that `@LoopActor` tests can run.
///
/// Every suite whose tests or subjects are isolated to the loop carries `.onLoop`.
public struct OnLoop: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    private static let thread: Void = {
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { _ in Loop.shared.runForever() }, nil)
        precondition(code == 0, "cannot start the loop's thread")
        pthread_detach(thread)
    }()

    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        Self.thread
        try await function()
    }
}

extension Trait where Self == OnLoop {
    /// Runs the loop beside these tests.
    public static var onLoop: OnLoop { OnLoop() }
}
