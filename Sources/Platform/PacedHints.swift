/// Hints of which some come in large numbers, as charts do in a first sync: runs that follow from those take a small share of
/// the time in all, however long each of them is.
@LoopActor
package final class PacedHints {
    private let time: any TimeKeeper
    private let hints = Hints()
    private var pace = HintPace()
    /// What is to run when the pace allows, and what will make it.
    private var patient: (@Sendable @LoopActor () async -> Void)?
    private var timer: TimerID?

    package init(time: any TimeKeeper) {
        self.time = time
    }

    package var isQuiet: Bool { hints.isQuiet && patient == nil }

    /// Has `body` run soon, after a run that is under way.
    package func hint(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // That follows what waits, too.
        patient = nil
        if let timer { time.cancel(timer) }
        timer = nil
        hints.hint { [self] in
            let start = time.now
            await body()
            pace.note(time.now - start, endingAt: time.now)
        }
    }

    /// Has `body` run as soon as the pace allows, which is soon unless there was much of this lately.
    package func hintPatiently(_ body: @escaping @Sendable @LoopActor () async -> Void) {
        // What has not begun will see it.
        guard !hints.isDue else { return }
        guard pace.next > time.now else { return hint(body) }
        patient = body
        guard timer == nil else { return }
        timer = time.schedule(at: pace.next) { [weak self] in
            self?.timer = nil
            self?.hurry()
        }
    }

    /// Waits until no hint is left to follow. What waits for its time need not any more: now somebody waits for it.
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

/// When runs may follow each other that nobody waits for.
package struct HintPace {
    /// So many may follow each other at once: what is new by ones and twos is never held up.
    package static let most = 8
    /// From then on they take a hundredth of the time, so that their cost does not grow with what they look at.
    private static let share = 100
    /// Whoever watches a first sync sees it go on; only where a run takes long by itself the pauses are somewhat longer.
    private static let usual: Duration = .seconds(2)
    private static let longest: Duration = .seconds(10)

    /// Runs that may still follow at once, as of a moment, and how long it takes until there is one more.
    private var allowance = Double(most)
    private var asOf: Moment?
    private var interval: Duration = .zero

    /// The next may begin from here on.
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
