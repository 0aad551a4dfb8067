/// Combines hints into runs: however many hints arrive during a run, they cause only one more run.
@LoopActor
package final class Hints {
    /// Whether a run was requested and has not begun.
    package private(set) var isDue = false
    private var isRunning = false
    private let waiters = Waiters()

    package nonisolated init() {}

    package var isQuiet: Bool { !isDue && !isRunning }

    /// Runs `body` soon. If a run is in progress, its body is run once more afterwards instead of `body`, so all hints must have
    /// equivalent bodies.
    package func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        isDue = true
        guard !isRunning else { return }
        isRunning = true
        spawn { [self] in
            while isDue {
                isDue = false
                await body()
            }
            isRunning = false
            waiters.wake()
        }
    }

    /// Waits until every hint has been served.
    package func quiet() async {
        await waiters.wait { isQuiet }
    }
}

/// Hints, some of which come in large numbers, like arriving charts in a first sync. The runs for such hints are paced, so that all but
/// very long runs take only a small share of the time.
@LoopActor
package final class PacedHints {
    private let time: any TimeKeeper
    private let hints = Hints()
    private var pace = HintPace()
    /// The run to start when the pace allows it; `alarm` starts it.
    private var patient: (@Sendable @LoopActor () async -> Void)?
    private let alarm: Alarm

    package init(time: any TimeKeeper) { (self.time, alarm) = (time, Alarm(time)) }

    package var isQuiet: Bool { hints.isQuiet && patient == nil }

    /// Runs `body` soon, or after the present run, regardless of the pace.
    package func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // If a patient hint was waiting for the pace, this run serves it, too.
        patient = nil
        alarm.cancel()
        hints.hint { [self] in
            let start = time.now
            await body()
            pace.note(time.now - start, endingAt: time.now)
        }
    }

    /// Runs `body` when the pace allows it, which is soon unless there were many runs recently.
    package func hintPatiently(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // A run that has not begun yet will also serve this hint.
        guard !hints.isDue else { return }
        guard pace.next > time.now else { return hint(body) }
        patient = body
        if !alarm.isSet { alarm.set(at: pace.next) { [weak self] in self?.hurry() } }
    }

    /// Waits until every hint has been served. Runs that were waiting for the pace start now, since somebody is waiting for them.
    package func quiet() async {
        while !isQuiet {
            hurry()
            await hints.quiet()
        }
    }

    private func hurry() {
        if let patient { hint(patient) }
    }
}

/// Decides when the next run may begin, for runs that nobody is waiting for.
package struct HintPace {
    /// How many runs may follow each other without a pause, so that a few hints are never delayed.
    package static let most = 8
    /// After those runs, each pause is a hundred times as long as the run before it, up to `usual`, so that the total cost stays low.
    private static let share = 100
    /// The usual longest pause, so that somebody watching a first sync sees progress. Long runs cause pauses of three times their length,
    /// up to `longest`.
    private static let usual: Duration = .seconds(2)
    private static let longest: Duration = .seconds(10)

    /// How many more runs could follow without a pause at the moment `asOf`. After each `interval`, one more run may follow.
    private var allowance = Double(most)
    private var asOf: Moment?
    private var interval: Duration = .zero

    /// When the next run may begin.
    package var next: Moment {
        guard let asOf else { return Moment(nanoseconds: 0) }
        return asOf + interval * max(0, 1 - allowance)
    }

    package mutating func note(_ duration: Duration, endingAt now: Moment) {
        let earned = asOf.map { interval > .zero ? (now - $0) / interval : Double(Self.most) } ?? 0
        allowance = max(0, min(Double(Self.most), allowance + earned) - 1)
        asOf = now
        interval = max(min(duration * Self.share, Self.usual), min(duration * 3, Self.longest))
    }
}
