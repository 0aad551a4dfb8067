import Platform

/// The machine's clock in a hurry: each wait ends after a few milliseconds, but counts in full.
///
/// Tests with real connections need it: a simulated clock would jump ahead and cut the connections off.
final class HurriedClock: TimeKeeper {
    private let real = SystemClock()
    private var skipped: Duration = .zero

    nonisolated init() {}

    var now: Moment { real.now + skipped }
    /// The date stays the machine's, because it decides which plans are to come.
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
