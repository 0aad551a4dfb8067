import Platform

/// Decides when watching starts over: when it has to, but not twice within a short time, and only much later when a limit was
/// the reason.
@LoopActor
final class WatchRenewal {
    private let clock: any TimeKeeper
    /// However much is moved about, watching starts over at most once in this time.
    private let spacing: Duration
    /// How long after a limit was reached watching is tried again: the limit may have been raised.
    private let retryAfter: Duration
    /// Set when names may have been missed or the library would report outdated ones: only starting over helps.
    private(set) var isNeeded = false
    private var begunAt: Moment?
    private var timer: TimerID?

    init(clock: any TimeKeeper, spacing: Duration, retryAfter: Duration) {
        self.clock = clock
        self.spacing = spacing
        self.retryAfter = retryAfter
    }

    /// Says that watching has to start over once the present events are handled.
    func need() { isNeeded = true }

    /// Notes that watching begins now.
    func noteBeginning() { begunAt = clock.now }

    /// Calls `begin` if it is needed: now, or as soon as it is allowed again.
    func attend(_ begin: @escaping @LoopActor () -> Void) {
        guard isNeeded, timer == nil, let begunAt else { return }
        guard clock.now < begunAt + spacing else { return begin() }
        schedule(at: begunAt + spacing, begin)
    }

    /// Calls `begin` when the obstacle may be gone.
    func retry(_ begin: @escaping @LoopActor () -> Void) { schedule(at: clock.now + retryAfter, begin) }

    private func schedule(at moment: Moment, _ begin: @escaping @LoopActor () -> Void) {
        timer = clock.schedule(at: moment) { [weak self] in
            self?.timer = nil
            begin()
        }
    }

    func clear() {
        if let timer { clock.cancel(timer) }
        timer = nil
        isNeeded = false
    }
}
