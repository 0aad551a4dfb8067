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

    /// Does `piece` on the side thread, after everything that it was given before; nobody waits for it.
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
        // If no thread can be had, the work is done here: better late than never.
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
