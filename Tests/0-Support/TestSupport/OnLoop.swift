// This module has no functions to call. The import links its start-up code into the process.
import CTestProcess
import Glibc
import Platform
import Synchronization
public import Testing

/// Runs the loop on a thread of this test process, so that `@LoopActor` tests can run, a few at a time.
///
/// Every suite with tests or subjects isolated to the loop has `.onLoop`. All these tests share one thread. If hundreds of tests began
/// together, each would wait for all others, and every real-time limit would expire.
///
/// Also ends a run that hangs, which is a run in which no test begins or ends for five minutes of `FairTime`. A limit for each test would
/// not work, since a test's time includes the wait for the loop and the machine's other work.
public struct OnLoop: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    private static let thread: Void = {
        var thread = pthread_t()
        let runLoop: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            // The loop's main function never returns, so the loop runs until the process ends.
            exit(Loop.shared.run { await withUnsafeContinuation { _ in } })
        }
        let code = pthread_create(&thread, nil, runLoop, nil)
        precondition(code == 0, "cannot start the loop's thread")
        pthread_detach(thread)
    }()

    /// Tests that start programs use other cores, so they have a queue apart from the tests that only use the loop's core.
    private static let places = (inside: Places(2), outside: Places(8))
    private static let startingPrograms: Set = [
        "BrowserTests", "ProgramTests", "RenderingTests", "RenderWorkerTests", "StorageServerTests", "SyncFaultTests",
    ]

    public func prepare(for test: Test) async throws { try await Needs.passOverWhatIsQuick(test) }

    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        Self.thread
        let module = String("\(test.id)".prefix { $0 != "." })
        let places = Self.startingPrograms.contains(module) ? Self.places.outside : Self.places.inside
        await places.enter()
        Self.progress.note()
        defer {
            Self.progress.note()
            places.leave()
        }
        let watch = Task { try await Self.progress.endTheRunWhereItHangs(at: "\(test.id)") }
        defer { watch.cancel() }
        // Without this preference, the task would return to the runner's executor at every hop. During that time the loop would count as
        // quiet, and simulated time would advance too early.
        try await withTaskExecutorPreference(Loop.shared) {
            try await AfterTest.doing {
                guard let slowest = SlowestTests.asked else { return try await function() }
                try await slowest.measure("\(test.id)") { try await function() }
            }
        }
    }

    private static let progress = Progress()
}

/// Counts how often a test has begun or ended.
private final class Progress: Sendable {
    private static let limit: Duration = .seconds(300)

    private let steps = Mutex(0)

    func note() {
        steps.withLock { $0 += 1 }
    }

    /// Ends the whole run when no test has begun or ended for too long, because a single hanging test cannot be ended. Prints `test`, the
    /// name of a test that is then still running.
    func endTheRunWhereItHangs(at test: String) async throws {
        var (time, seen) = (FairTime(), 0)
        while time.passed < Self.limit {
            try await Task.sleep(for: .milliseconds(500))
            let now = steps.withLock { $0 }
            if now != seen { (time, seen) = (FairTime(), now) }
            time.look()
        }
        let line = Array("✘ no test has begun or ended for \(Self.limit); under way is \(test)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        // Wait, so that other running tests are also named.
        try await Task.sleep(for: .seconds(2))
        exit(1)
    }
}

extension Trait where Self == OnLoop {
    /// Runs the loop during these tests.
    public static var onLoop: OnLoop { OnLoop() }
}

/// Admits a few tests at a time, in order of arrival.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
