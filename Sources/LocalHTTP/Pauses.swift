import CMicroHTTPD
import Glibc

/// The connections that are held back: for a pause in their body, or until the server stops.
///
/// Its thread is started by the first pause and sleeps until the next one is over.
// What it holds is touched with `lock` taken, and libmicrohttpd's functions may be called from any thread.
final class Pauses: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// With the moment at which each goes on, in nanoseconds of the monotonic clock.
    private var held: [(connection: OpaquePointer, until: Int?)] = []
    private var isOver = false
    private var thread: pthread_t?

    init() {
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Holds a connection back for a time, or for good; `false` when the server is stopping. For its own callbacks only.
    func hold(_ connection: OpaquePointer, for duration: Duration?) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isOver, duration == nil || startThread() else { return false }
        MHD_suspend_connection(connection)
        held.append((connection, duration.map { Self.now + Self.nanoseconds($0) }))
        pthread_cond_signal(changed)
        return true
    }

    /// Lets all go on, and holds none from now on.
    func end() {
        pthread_mutex_lock(lock)
        isOver = true
        for each in held { MHD_resume_connection(each.connection) }
        held = []
        let thread = thread
        self.thread = nil
        pthread_cond_signal(changed)
        pthread_mutex_unlock(lock)
        if let thread { pthread_join(thread, nil) }
    }

    private func startThread() -> Bool {
        if thread != nil { return true }
        var thread = pthread_t()
        // It ends in `end`, before which nobody lets go of this.
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Pauses>.fromOpaque(context).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        guard code == 0 else { return false }
        self.thread = thread
        return true
    }

    private func run() {
        pthread_mutex_lock(lock)
        while !isOver {
            let now = Self.now
            held.removeAll { each in
                guard let until = each.until, until <= now else { return false }
                MHD_resume_connection(each.connection)
                return true
            }
            if let next = held.compactMap(\.until).min() {
                var deadline = timespec(tv_sec: next / 1_000_000_000, tv_nsec: next % 1_000_000_000)
                pthread_cond_timedwait(changed, lock, &deadline)
            } else {
                pthread_cond_wait(changed, lock)
            }
        }
        pthread_mutex_unlock(lock)
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func nanoseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    }
}
