import Platform

/// While paused, only what a screen waits for begins.
@LoopActor
final class Pause {
    /// Closed during a pause.
    let gate = Gate()
    private let time: any TimeKeeper
    /// When the pause ends by itself.
    private var deadline: Moment?
    private let alarm: Alarm

    init(time: any TimeKeeper) { (self.time, alarm) = (time, Alarm(time)) }

    var isOn: Bool { !gate.isOpen }

    /// The pause in a form that another agent can continue; `nil` if there is none.
    var term: PauseTerm? { isOn ? PauseTerm(deadline: deadline) : nil }

    /// How long the pause still lasts; `nil` if there is none, or it has no end.
    var rest: Duration? { deadline.map { $0 - time.now } }

    /// Begins a pause, and calls `body` when its term is over. A second pause replaces the first.
    func begin(_ term: PauseTerm, _ body: @escaping @LoopActor () -> Void) {
        forgetDeadline()
        deadline = term.deadline
        if let deadline { alarm.set(at: deadline, body) }
        gate.close()
    }

    func end() {
        forgetDeadline()
        gate.open()
    }

    /// Lets the pause go on without an end: the agent will be gone when its term is over.
    func forgetDeadline() {
        alarm.cancel()
        deadline = nil
    }
}

/// How long a pause lasts.
public struct PauseTerm: Sendable {
    /// `nil` until it is ended by hand.
    let deadline: Moment?
}
