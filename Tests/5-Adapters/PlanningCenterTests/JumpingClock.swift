import Platform

/// A clock on which waits end immediately, but count with their full length.
final class JumpingClock: TimeKeeper {
    private(set) var now = Moment(nanoseconds: 1_000_000_000)
    var wallTime: Duration = .seconds(1_795_000_000)
    /// The total time of all waits.
    private(set) var waited: Duration = .zero
    private var nextNumber: UInt64 = 0
    private var cancelled: Set<TimerID> = []

    nonisolated init() {}

    func schedule(at deadline: Moment, _ action: @escaping @LoopActor () -> Void) -> TimerID {
        nextNumber += 1
        let id = TimerID(number: nextNumber)
        let action = Action(run: action)
        spawn { [self] in
            guard !cancelled.contains(id) else { return }
            if deadline > now {
                waited += deadline - now
                now = deadline
            }
            action.run()
        }
        return id
    }

    func cancel(_ timer: TimerID) {
        cancelled.insert(timer)
    }
}

@LoopActor
private final class Action {
    let run: @LoopActor () -> Void

    init(run: @escaping @LoopActor () -> Void) {
        self.run = run
    }
}
