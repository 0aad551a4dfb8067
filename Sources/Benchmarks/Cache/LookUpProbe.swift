import Glibc
import Model
import PageCache
import Platform
import Synchronization

/// Asks for images continually while something else goes on, and records how long each took: from a thread, like the web
/// server's, and on the loop, where waiting for a turn is part of the time.
final class LookUpProbe: Sendable {
    /// How long each look-up took, in milliseconds.
    struct Waits: Sendable {
        var looks: [Double] = []
        var uses: [Double] = []
    }

    private static let pauseNanoseconds = 250_000

    private let cache: PageCache
    private let names: [ImageName]
    private let isStopped = Atomic(false)
    private let waits = Mutex(Waits())
    private let thread = Mutex(pthread_t())

    /// Begins to ask for `names`, one after the other.
    init(_ cache: PageCache, _ names: [ImageName]) throws(SystemError) {
        self.cache = cache
        self.names = names
        let code = thread.withLock { thread in
            pthread_create(
                &thread, nil,
                { pointer in
                    Unmanaged<LookUpProbe>.fromOpaque(pointer!).takeRetainedValue().work()
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
        }
        guard code == 0 else { throw SystemError("start thread", code: code) }
    }

    /// Stops once every look-up that has begun is answered.
    @LoopActor
    func stop() async -> Waits {
        isStopped.store(true, ordering: .relaxed)
        pthread_join(thread.withLock { $0 }, nil)
        // The loop takes turns in order, so none of ours is left after this one.
        await spawn {}.value
        return waits.withLock { $0 }
    }

    private func work() {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            let name = names[number % names.count]
            number += 1
            let wanted = ProcessFigures.wallMilliseconds
            spawn { [self] in
                _ = cache.look(name)
                let wait = ProcessFigures.wallMilliseconds - wanted
                waits.withLock { $0.looks.append(wait) }
            }
            let start = ProcessFigures.wallMilliseconds
            _ = cache.use(name)
            let wait = ProcessFigures.wallMilliseconds - start
            waits.withLock { $0.uses.append(wait) }
            var pause = timespec(tv_sec: 0, tv_nsec: Self.pauseNanoseconds)
            nanosleep(&pause, nil)
        }
    }
}
