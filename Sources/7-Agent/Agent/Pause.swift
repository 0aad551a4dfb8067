import Platform

/// During a pause, only work that a screen waits for may start.
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

    /// How long the pause still lasts; `nil` if there is no pause, or it has no end.
    var rest: Duration? { deadline.map { $0 - time.now } }

    /// Starts a pause, and calls `body` when its term is over. A second pause replaces the first.
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

    /// Removes the time at which the pause ends by itself: the pause ends or is replaced now, or the agent stops before that time.
    func forgetDeadline() {
        alarm.cancel()
        deadline = nil
    }
}

/// The term of a pause.
public struct PauseTerm: Sendable {
    /// `nil` if only a person ends the pause.
    let deadline: Moment?
}
