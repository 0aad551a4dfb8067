import Platform

/// The machine's clock for who is in a hurry: a wait ends after a few milliseconds and has then taken its whole time.
///
/// For what waits beside real connections, which a simulated clock would cut off.
final class HurriedClock: TimeKeeper {
    private let real = SystemClock()
    private var skipped: Duration = .zero

    nonisolated init() {}

    var now: Moment { real.now + skipped }
    /// The day of the year stays the machine's: plans are to come by it.
    var wallTime: Duration { real.wallTime }

    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        real.schedule(at: min(real.now + .milliseconds(3), real.now + (deadline - now))) { [self] in
            if now < deadline { skipped += deadline - now }
            action()
        }
    }

    func cancel(_ timer: TimerID) {
        real.cancel(timer)
    }
}
