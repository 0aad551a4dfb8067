import CShims
import Glibc
import Synchronization

/// A thread beside the loop, for work that would hold up the loop: going through a hundred thousand files, or removing half of them.
///
/// It does one piece of work after the other. The thread begins with the first piece and ends with the last, so an idle process has
/// only its loop.
public final class SideThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
        /// Whether some work takes longer than its caller waited.
        var isStuck = false
    }

    private let state = Mutex(State())
    /// Whether it does its work at once, on the caller's thread.
    public let isInline: Bool

    /// Makes a side thread that has nothing to do.
    ///
    /// If `inline`, it does its work at once, on the caller's thread: for simulations, in which one seed means one order of events.
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

    /// Does `work` on the side thread, and waits for its result no longer than `limit`, then returns `nil`. For work that may get no
    /// answer, as in a folder on a network. Work that has begun goes on all the same; until it ends, all other calls return at once. Work
    /// that is only slow is waited for again, if it `isAlive`.
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
                // Work without a waiting caller is not even begun: it may be out of date by now.
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
                // It may have ended just now.
                if !waiter.end(with: nil) { state.withLock { $0.isStuck = false } }
            }
        }
    }

    /// A caller that waits for a result until the first of several ends that.
    private final class Waiter<Value: Sendable>: Sendable {
        private let continuation = Mutex<CheckedContinuation<Value?, Never>?>(nil)

        var isWaiting: Bool { continuation.withLock { $0 != nil } }

        func wait(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation.withLock { $0 = continuation } }

        /// Returns whether a caller was waiting.
        func end(with value: Value?) -> Bool {
            let waiting = continuation.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            waiting?.resume(returning: value)
            return waiting != nil
        }
    }

    /// Does `piece` on the side thread, after everything before it; without waiting.
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
        // If no thread can be started, the work is done here: better late than never.
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
