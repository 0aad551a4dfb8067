import Platform

/// While paused, nothing is started that nobody is waiting for.
@LoopActor
final class Pause {
    /// Closed while it lasts.
    let gate = Gate()
    private let time: any TimeKeeper
    /// When it ends by itself.
    private var deadline: Moment?
    private var timer: TimerID?

    init(time: any TimeKeeper) {
        self.time = time
    }

    var isOn: Bool { !gate.isOpen }

    /// The pause as another may go on with it; `nil` where there is none.
    var term: PauseTerm? { isOn ? PauseTerm(deadline: deadline) : nil }

    /// How long it still lasts; `nil` where there is none, or it has no end.
    var rest: Duration? { deadline.map { $0 - time.now } }

    /// Begins, and calls `body` when the term is over. A second one takes the place of the first.
    func begin(_ term: PauseTerm, _ body: @escaping @LoopActor () -> Void) {
        forgetDeadline()
        deadline = term.deadline
        timer = term.deadline.map { time.schedule(at: $0, body) }
        gate.close()
    }

    func end() {
        forgetDeadline()
        gate.open()
    }

    /// Lets it last as it is: nobody will be there when it is over.
    func forgetDeadline() {
        if let timer { time.cancel(timer) }
        (deadline, timer) = (nil, nil)
    }
}
