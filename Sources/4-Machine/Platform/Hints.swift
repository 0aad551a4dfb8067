/// Turns any number of hints into one more run: whether one hint comes during a run or ten, it runs once more.
@LoopActor
package final class Hints {
    /// Whether a run has been asked for and has not begun.
    package private(set) var isDue = false
    private var isRunning = false
    private let waiters = Waiters()

    package nonisolated init() {}

    package var isQuiet: Bool { !isDue && !isRunning }

    /// Runs `body` soon, after a run that is under way.
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

    /// Waits until no hint is left to follow.
    package func quiet() async {
        await waiters.wait { isQuiet }
    }
}

/// Hints of which some come in large numbers, as charts do in a first sync: the runs that follow from those take only a small share of the
/// whole time, however long each of them is.
@LoopActor
package final class PacedHints {
    private let time: any TimeKeeper
    private let hints = Hints()
    private var pace = HintPace()
    /// What to run when the pace allows, and what will start it.
    private var patient: (@Sendable @LoopActor () async -> Void)?
    private let alarm: Alarm

    package init(time: any TimeKeeper) { (self.time, alarm) = (time, Alarm(time)) }

    package var isQuiet: Bool { hints.isQuiet && patient == nil }

    /// Runs `body` soon, after a run that is under way.
    package func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // This run also covers the one that was waiting.
        patient = nil
        alarm.cancel()
        hints.hint { [self] in
            let start = time.now
            await body()
            pace.note(time.now - start, endingAt: time.now)
        }
    }

    /// Runs `body` as soon as the pace allows, which is soon unless there were many such runs lately.
    package func hintPatiently(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // A run that has not begun yet will cover this hint.
        guard !hints.isDue else { return }
        guard pace.next > time.now else { return hint(body) }
        patient = body
        if !alarm.isSet { alarm.set(at: pace.next) { [weak self] in self?.hurry() } }
    }

    /// Waits until no hint is left to follow. Runs that were held back for the pace start now, since somebody is waiting for them.
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

/// When runs that nobody is waiting for may follow each other.
package struct HintPace {
    /// How many may follow each other at once: if there is only a little news, it is never held up.
    package static let most = 8
    /// After that they take a hundredth of the time, so that their cost does not grow with what they look at.
    private static let share = 100
    /// The usual longest pause, so that somebody watching a first sync sees it go on; only if a run itself takes long may it be longer.
    private static let usual: Duration = .seconds(2)
    private static let longest: Duration = .seconds(10)

    /// How many runs may still follow at once, as of that moment, and how long it takes until one more may.
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
