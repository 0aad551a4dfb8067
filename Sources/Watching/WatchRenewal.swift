import Platform

/// Decides when watching starts over: when it has to, but not twice within a short time, and only much later when a limit was
/// the reason.
@LoopActor
final class WatchRenewal {
    private let clock: any TimeKeeper
    /// However much is moved about, the watching begins anew at most once in this time.
    private let spacing: Duration
    /// How long after a limit was met the watching is tried again: it may have been raised.
    private let retryAfter: Duration
    /// Set when names may have been missed or the library would tell old ones: only beginning anew helps.
    private(set) var isNeeded = false
    private var begunAt: Moment?
    private var timer: TimerID?

    init(clock: any TimeKeeper, spacing: Duration, retryAfter: Duration) {
        self.clock = clock
        self.spacing = spacing
        self.retryAfter = retryAfter
    }

    /// Says that the watching has to begin anew once what happened is taken.
    func need() { isNeeded = true }

    /// Notes that the watching begins now.
    func noteBeginning() { begunAt = clock.now }

    /// Calls `begin` if it is needed: now, or when it may be again.
    func attend(_ begin: @escaping @LoopActor () -> Void) {
        guard isNeeded, timer == nil, let begunAt else { return }
        guard clock.now < begunAt + spacing else { return begin() }
        schedule(at: begunAt + spacing, begin)
    }

    /// Calls `begin` when what stood in the way may be gone.
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
