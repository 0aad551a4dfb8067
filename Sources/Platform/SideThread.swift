import CShims
import Glibc
import Synchronization

/// A thread beside the loop, for work that would hold the loop up: looking at a hundred thousand files, removing half of them.
///
/// One piece of work after the other. The thread begins with the first piece and ends with the last, so an idle process has
/// only its loop.
public final class SideThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    /// Whether it does its work at once, on the caller's thread.
    public let isInline: Bool

    /// Makes a side thread that has nothing to do.
    ///
    /// One that is `inline` does its work at once, on the caller's thread: for a simulation, in which one seed is one order of things.
    public init(inline: Bool = false) {
        isInline = inline
    }

    /// Does `work` there, and goes on with its result.
    public func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if isInline { return try work() }
        let result = await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try result.get()
    }

    /// Has `piece` done there, after all that it was given before; nobody waits for it.
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
        // Without a thread to be had, the work is done here: late is better than never.
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
