import Platform

/// When a pause ends by itself.
@LoopActor
final class PauseTimer {
    private(set) var deadline: Moment?
    private var timer: TimerID?

    nonisolated init() {}

    func begin(until deadline: Moment?, _ time: any TimeKeeper, _ body: @escaping @LoopActor () -> Void) {
        end(time)
        self.deadline = deadline
        timer = deadline.map { time.schedule(at: $0, body) }
    }

    func end(_ time: any TimeKeeper) {
        if let timer { time.cancel(timer) }
        (deadline, timer) = (nil, nil)
    }
}
