import CShims
import Glibc

/// Lets the loop wait for signals.
public enum Signals {
    /// Blocks these signals in this thread and in all threads that it starts later; call it first in `main`.
    public static func block(_ signals: [Int32]) {
        var set = set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Lets these signals end the process again, as they do by default.
    public static func unblock(_ signals: [Int32]) {
        var set = set(of: signals)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits for the next of these signals, all of which must be blocked.
    @LoopActor
    public static func next(of signals: [Int32]) async throws(SystemError) -> Int32 {
        var set = set(of: signals)
        let file = woodshed_signalfd(&set)
        guard file >= 0 else { throw SystemError("wait for signals") }
        defer { close(file) }
        var watch: DescriptorWatch?
        defer { if let watch { Loop.shared.cancel(watch) } }
        do {
            return try await withCheckedThrowingContinuation { continuation in
                var pending: CheckedContinuation<Int32, any Error>? = continuation
                do {
                    watch = try Loop.shared.watch(file, for: .read) { _ in
                        let signal = woodshed_signalfd_read(file)
                        guard signal > 0 else { return }
                        pending?.resume(returning: signal)
                        pending = nil
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } catch {
            throw error as? SystemError ?? SystemError("wait for signals", code: EIO)
        }
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
