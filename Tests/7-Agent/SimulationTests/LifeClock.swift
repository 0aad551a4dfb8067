import Platform
import TestSupport

/// The clock of one life of the agent. When the agent is killed, the clock stops, and everything that waits for it waits for ever.
@LoopActor
final class LifeClock: TimeKeeper {
    private let world: SimulatedClock
    /// How wrong the machine's time of day is.
    private let error: @LoopActor () -> Duration
    private(set) var isDead = false
    private var held: [@LoopActor () -> Void] = []

    nonisolated init(_ world: SimulatedClock, error: @escaping @LoopActor () -> Duration) {
        self.world = world
        self.error = error
    }

    var now: Moment { world.now }
    var wallTime: Duration { world.wallTime + error() }

    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        world.schedule(at: deadline) { [self] in
            if isDead { held.append(action) } else { action() }
        }
    }

    func cancel(_ timer: TimerID) { world.cancel(timer) }

    func die() { isDead = true }

    /// Releases everything that waits, so that the dead agent's tasks can end. The run is over then, and no checks follow.
    func letGo() {
        isDead = false
        let actions = held
        held = []
        for action in actions { action() }
    }
}
