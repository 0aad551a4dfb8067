public import Model
import Platform

extension Agent {
    /// Holds polls, downloads and all that is rendered ahead: none begins any more. What runs comes to its end, and what somebody
    /// waits for on a screen is still drawn; the pages that come after it are not.
    ///
    /// With a duration it ends by itself when that has passed, also while the machine slept; without one, by `resume` only.
    /// A second pause takes the place of the first.
    public func pause(for duration: Duration? = nil) {
        pause(PauseTerm(deadline: duration.map { parts.time.now + $0 }))
    }

    /// Goes on with a pause of an agent whose place this one takes.
    public func pause(_ term: PauseTerm) {
        pause.begin(until: term.deadline, parts.time) { [weak self] in self?.resume() }
        gate.close()
        hold(.pause)
        // What is handed out beside the queue may still wait for a renderer, and would begin in the pause.
        odds.breakOff()
        onNews?(.paused)
    }

    /// Lets everything begin again, also what was held.
    public func resume() {
        pause.end(parts.time)
        gate.open()
        release(.pause)
        onNews?(.paused)
    }

    /// Whether polls, downloads and rendering ahead are held.
    public var isPaused: Bool { !gate.isOpen }

    /// The pause, for the agent that takes this one's place; `nil` where there is none.
    public var pauseTerm: PauseTerm? { isPaused ? PauseTerm(deadline: pause.deadline) : nil }

    /// When the pause ends by itself; `nil` where there is none, or it has no end.
    public var pausedUntil: Timestamp? { pause.deadline.map { now + ($0 - parts.time.now) } }

    /// Forgets what is to be rendered, and breaks off what is being rendered ahead. It is due again with the next reconcile.
    public func cancelRendering() {
        queue.cancelAll()
        keeper.flush()
        tellProgress()
    }

    /// Ends every poll at once, also one that is held. Each answers with `PollOutcome.isCancelled`.
    public func cancelPolls() {
        for (_, poll) in polls.sorted(by: { $0.key < $1.key }) { poll.cancel() }
    }
}
