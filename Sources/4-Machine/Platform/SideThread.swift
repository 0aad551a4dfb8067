import CShims
import Glibc
import Synchronization

/// A thread for work that would block the loop for long, such as going through a hundred thousand files or removing half of them.
///
/// Pieces of work run one after the other. The thread starts with the first piece and ends after the last, so an idle process has
/// only its loop.
public final class SideThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
        /// Whether a caller has stopped waiting for a piece of work that has not ended yet.
        var isStuck = false
    }

    private let state = Mutex(State())
    /// Whether work is done immediately, on the caller's thread.
    public let isInline: Bool

    /// If `inline`, work is done immediately, on the caller's thread: for simulations, in which a seed determines the order of events.
    public init(inline: Bool = false) {
        isInline = inline
    }

    /// Does `work` on the side thread, and returns its result.
    public func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if isInline { return try work() }
        let result = await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try result.get()
    }

    /// Does `work` on the side thread, and returns its result, or `nil` after `limit`: for work that may block, as in a network folder.
    /// Work that has begun continues; until it ends, all other calls with a limit return `nil` immediately. If `isAlive` returns that the
    /// work is only slow, the wait starts again.
    @LoopActor
    public func run<Result: Sendable, Failure: Error>(
        within limit: Duration, _ time: any TimeKeeper, unless isAlive: (@Sendable @LoopActor () async -> Bool)? = nil,
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        if isInline { return try work() }
        guard !state.withLock(\.isStuck) else { return nil }
        let (waiter, alarm) = (Waiter<Swift.Result<Result, Failure>>(), Alarm(time))
        let result = await withCheckedContinuation { continuation in
            waiter.wait(continuation)
            giveUp(waiter, after: limit, alarm, unless: isAlive)
            begin { [self] in
                // Skip `work` if its caller has stopped waiting, since it may be out of date.
                let isInTime = waiter.isWaiting && waiter.end(with: Swift.Result(catching: work))
                if !isInTime { state.withLock { $0.isStuck = false } }
            }
        }
        alarm.cancel()
        return try result?.get()
    }

    @LoopActor
    private func giveUp<Value: Sendable>(
        _ waiter: Waiter<Value>, after limit: Duration, _ alarm: Alarm, unless isAlive: (@Sendable @LoopActor () async -> Bool)?
    ) {
        alarm.set(in: limit) { [self] in
            spawn { [self] in
                if let isAlive, waiter.isWaiting, await isAlive() {
                    if waiter.isWaiting { giveUp(waiter, after: limit, alarm, unless: isAlive) }
                    return
                }
                state.withLock { $0.isStuck = true }
                // If the work has ended just now, its result has already been returned, and the thread is not stuck.
                if !waiter.end(with: nil) { state.withLock { $0.isStuck = false } }
            }
        }
    }

    /// A caller waiting for a result; the first of several events ends the wait.
    private final class Waiter<Value: Sendable>: Sendable {
        private let continuation = Mutex<CheckedContinuation<Value?, Never>?>(nil)

        var isWaiting: Bool { continuation.withLock { $0 != nil } }

        func wait(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation.withLock { $0 = continuation } }

        /// Resumes the caller. Returns whether it was still waiting.
        func end(with value: Value?) -> Bool {
            let waiting = continuation.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            waiting?.resume(returning: value)
            return waiting != nil
        }
    }

    /// Enqueues `piece` for the side thread, and returns without waiting.
    public func begin(_ piece: @escaping @Sendable () -> Void) {
        if isInline { return piece() }
        let mustStart = state.withLock { state in
            state.waiting.append(piece)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let started = pthread_create(
            &thread, &attributes,
            { pointer in
                Unmanaged<SideThread>.fromOpaque(pointer!).takeRetainedValue().work()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        // If no thread can be started, do the work here: late is better than never.
        guard started != 0 else { return }
        Unmanaged.passUnretained(self).release()
        work()
    }

    private func work() {
        while let piece = next() { piece() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
