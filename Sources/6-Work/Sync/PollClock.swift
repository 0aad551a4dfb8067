package import Freshness
public import Model
public import Platform

/// Polls the service regularly, and out of turn when the machine has woken up or has a network again.
///
/// The next poll is planned only after one has ended, so it never overtakes a poll that takes long or is delayed by a pause.
@LoopActor
public final class PollClock {
    /// The state of polling, to be shown to people.
    public struct State: Hashable, Sendable {
        /// When the next poll is due; `nil` while a poll is running or delayed, and if there will be no next poll.
        public var next: Timestamp?
        public var isPolling = false
        /// How many polls in a row have failed, up to the last one.
        public var failures = 0
        public var lastEnd: Timestamp?
        public var lastOutcome: PollOutcome?
        /// Since when every poll has ended with a refused token; `refusals` is the number of these polls.
        public var refusedSince: Timestamp?
        public var refusals = 0

        package init() {}
    }

    private let rhythm: PollRhythm
    private let time: any TimeKeeper
    private let conditions: @LoopActor () async -> MachineConditions
    private let plans: @LoopActor () -> [Plan]
    private let poll: @LoopActor () async -> Void
    private let alarm: Alarm
    private var isGoingOn = false
    private var costs = PollRhythm.Costs()
    /// When an additional poll outside the rhythm is due.
    private var outOfTurn: Moment?
    /// Events that occurred during the running poll.
    private var meanwhile: [MachineEvent] = []
    /// The pause that the service demanded after the last poll.
    private var patience = Duration.zero
    public private(set) var state = State()

    /// The pause after failed polls, which grows with each further failure in a row.
    private static let pause = GrowingPause(first: .seconds(60), most: .seconds(61_440))
    /// The least wait before a poll out of turn: a network that has just come up may not work yet, and comes up in several steps.
    private static let afterNetwork = Duration.seconds(3)
    /// The longest pause that the service can demand.
    private static let mostPatience = Duration.seconds(86_400)
    /// The latest time that counts as the present. The clock may be set so late that no later time could be represented.
    private static let latest = Timestamp(nanoseconds: .max) - .seconds(366 * 86_400)

    package init(
        _ rhythm: PollRhythm, time: any TimeKeeper, conditions: @escaping @LoopActor () async -> MachineConditions,
        plans: @escaping @LoopActor () -> [Plan],
        poll: @escaping @LoopActor () async -> Void
    ) {
        (self.rhythm, self.time, self.conditions, self.plans, self.poll) = (rhythm, time, conditions, plans, poll)
        alarm = Alarm(time)
    }

    package func begin() {
        isGoingOn = true
        pollNow()
    }

    package func end() {
        isGoingOn = false
        alarm.cancel()
    }

    /// Records the outcome of a poll, regular or not, and plans the next poll.
    package func note(_ outcome: PollOutcome) {
        guard isGoingOn, !outcome.isCancelled else { return }
        (state.lastEnd, state.lastOutcome) = (now, outcome)
        // Repeating the poll does not help with a faulty file, but may help if the service could not be reached or did not send marks.
        state.failures = outcome.isWorthRepeating ? state.failures + 1 : 0
        state.refusals = outcome.reach == .notAuthorised ? state.refusals + 1 : 0
        state.refusedSince = outcome.reach == .notAuthorised ? state.refusedSince ?? now : nil
        patience = outcome.isWorthRepeating ? min(outcome.retryAfter ?? .zero, Self.mostPatience) : .zero
        plan()
    }

    /// Handles an event of the machine.
    package func receive(_ event: MachineEvent) {
        guard isGoingOn else { return }
        // Handle the event after the running poll, which may fail because it uses a network that is gone.
        if state.isPolling { return meanwhile.append(event) }
        switch event {
        case .wokeUp: hurry()
        case .networkCame: if state.failures > 0 || isDue { hurry() }
        case .clockJumped: plan()
        }
    }

    /// Polls soon with a new token if the service refused the former one, or if a running poll may still use the former one.
    package func noteNewToken() {
        if state.isPolling || state.refusals > 0 { outOfTurn = time.now }
        plan()
    }

    package func hurry() {
        // The pause that the service demanded holds on any network.
        outOfTurn = time.now + max(Self.afterNetwork, min(state.lastEnd ?? now, now) + patience - now)
        plan()
    }

    private var isDue: Bool { state.next.map { $0 <= now } ?? false }
    private var now: Timestamp { min(time.timestamp, Self.latest) }

    private func pollNow() {
        alarm.cancel()
        guard isGoingOn, !state.isPolling else { return }
        outOfTurn = nil
        state.isPolling = true
        state.next = nil
        spawn { [self] in
            await poll()
            let conditions = await conditions()
            costs = PollRhythm.Costs(isOnBattery: conditions.isOnBattery, isMetered: conditions.isMetered)
            state.isPolling = false
            plan()
            let events = meanwhile
            meanwhile = []
            for event in events { receive(event) }
        }
    }

    /// Sets the timer for the next poll.
    private func plan() {
        guard isGoingOn, !state.isPolling else { return }
        // If somebody has set the clock back meanwhile, the last poll's end is in the future; then count from the present.
        let last = min(state.lastEnd ?? now, now)
        let pause = state.failures > 0 ? Self.pause.after(state.failures) : nil
        let next = rhythm.nextPoll(after: last, pause: pause, plans: plans(), costs: costs)
        let regular = time.now + max(max(next, last + patience) - now, .zero)
        schedule(at: min(regular, outOfTurn ?? regular))
    }

    private func schedule(at moment: Moment) {
        state.next = now + (moment - time.now)
        alarm.set(at: moment) { [weak self] in self?.pollNow() }
    }
}
