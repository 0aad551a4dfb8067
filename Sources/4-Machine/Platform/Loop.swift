import CShims
import Glibc
import Synchronization

/// The agent's main thread: an executor, a timer queue and a watcher of descriptors, which sleeps in a single `epoll_wait` while
/// there is nothing to do.
///
/// Deadlines use a timerfd on CLOCK_BOOTTIME, since the timeout of `epoll_wait` stands still while a laptop sleeps.
public final class Loop: SerialExecutor, TaskExecutor {
    public static let shared = Loop()

    private struct Inbox {
        var jobs: [UnownedJob] = []
        /// True while the thread may be asleep. Only then must adding a job wake the thread.
        var isAsleep = false
        var exitCode: Int32?
    }

    private let inbox = Mutex(Inbox())
    private let thread = Mutex<pthread_t?>(nil)
    private let wakeup = woodshed_eventfd()
    let timers = LoopTimers()
    let descriptors = LoopDescriptors()

    private init() {
        precondition(wakeup >= 0 && timers.descriptor >= 0 && descriptors.epoll >= 0, "out of file descriptors")
        descriptors.watchPermanently(wakeup)
        descriptors.watchPermanently(timers.descriptor)
    }

    /// Adds a job from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = inbox.withLock { box in
            box.jobs.append(job)
            defer { box.isAsleep = false }
            return box.isAsleep
        }
        if mustWake { wake() }
    }

    /// Runs `main`, and everything that it starts, on the calling thread until `main` returns the exit code.
    public func run(_ main: @escaping @Sendable @LoopActor () async -> Int32) -> Int32 {
        spawn { [self] in
            let code = await main()
            inbox.withLock { $0.exitCode = code }
        }
        thread.withLock { $0 = pthread_self() }
        while true {
            let (jobs, exitCode) = inbox.withLock { box in
                defer { box.jobs = [] }
                return (box.jobs, box.exitCode)
            }
            if let exitCode { return exitCode }
            for job in jobs {
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
            LoopActor.assumeIsolated { turn() }
        }
    }

    /// Runs due timers, then handles descriptors; sleeps if there is nothing to do.
    @LoopActor
    private func turn() {
        timers.fire()
        let mayBlock = inbox.withLock { box in
            // Do not sleep if a job has just set the exit code or another thread has added a job; the next turn handles both.
            box.isAsleep = box.jobs.isEmpty && box.exitCode == nil
            return box.isAsleep
        }
        defer { inbox.withLock { $0.isAsleep = false } }
        guard mayBlock, timers.hasQuietHandlers else {
            descriptors.dispatch(block: mayBlock)
            return
        }
        // Poll without sleeping first: the loop is quiet only if this poll finds nothing.
        guard descriptors.dispatch(block: false) == 0, !timers.runWhenQuiet() else { return }
        descriptors.dispatch(block: true)
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    /// Crashes the program unless called on the loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "not on the loop's thread")
    }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }
}

/// The global actor of all code that runs on the loop's thread.
///
/// Keep state in `@LoopActor` classes, never in this actor itself.
@globalActor
public actor LoopActor {
    public static let shared = LoopActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Loop.shared.asUnownedSerialExecutor() }

    /// Runs `operation` isolated to the loop, for callbacks that C libraries make on the loop's thread.
    ///
    /// Crashes the program on any other thread. It works like `MainActor.assumeIsolated`, which the standard library offers only
    /// for the main actor; the check justifies the cast.
    public static func assumeIsolated<Result: Sendable>(_ operation: @LoopActor () throws -> Result) rethrows -> Result {
        Loop.shared.checkIsolated()
        return try withoutActuallyEscaping(operation) { escaping in
            try unsafeBitCast(escaping, to: (() throws -> Result).self)()
        }
    }
}

/// Starts a task on the loop.
///
/// Start every task with this: a task without the executor preference resumes through the standard library's global executor,
/// whose thread pool, once used, wakes up every second for ever.
@discardableResult
public func spawn<Success: Sendable>(
    _ body: @escaping @Sendable @LoopActor () async -> Success
) -> Task<Success, Never> {
    Task(executorPreference: Loop.shared) { await body() }
}

/// Starts a task on the loop that may throw.
@discardableResult
public func spawnThrowing<Success: Sendable>(
    _ body: @escaping @Sendable @LoopActor () async throws -> Success
) -> Task<Success, any Error> {
    Task(executorPreference: Loop.shared) { try await body() }
}
