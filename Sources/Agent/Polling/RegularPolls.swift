import Freshness
import Model
import PageCache
import Platform
import Rendering
import Sync

/// Has the service asked again and again, as power, network and the next plan allow.
@LoopActor
final class RegularPolls {
    private let parts: Agent.Parts
    private let rhythm: PollRhythm
    private let queue: RenderQueue
    /// Called with what befell the machine, before anything is asked for it.
    private let befell: @LoopActor (MachineEvent) -> Void
    private var clock: PollClock?
    private var surroundings: (any Surroundings)?
    /// What power and network cost, by the last look.
    private var conditions = MachineConditions()

    init(_ parts: Agent.Parts, _ rhythm: PollRhythm, queue: RenderQueue, befell: @escaping @LoopActor (MachineEvent) -> Void) {
        self.parts = parts
        self.rhythm = rhythm
        self.queue = queue
        self.befell = befell
    }

    /// How it stands; `nil` where it has not begun.
    var state: PollClock.State? { clock?.state }

    /// Asks now, and from then on by the rhythm, the service about these plans; sees when the machine wakes up, finds a network or
    /// has its clock set.
    func begin(
        in surroundings: any Surroundings, plans: @escaping @LoopActor () -> [Plan], poll: @escaping @LoopActor () async -> Void
    ) {
        self.surroundings = surroundings
        let clock = PollClock(
            rhythm, time: parts.time, conditions: { [weak self] in await self?.lookAround() ?? MachineConditions() }, plans: plans,
            poll: poll)
        self.clock = clock
        surroundings.start { [weak self] event in self?.take(event) }
        clock.begin()
    }

    func end() {
        clock?.end()
        clock = nil
        surroundings?.stop()
        surroundings = nil
    }

    func note(_ outcome: PollOutcome) { clock?.note(outcome) }

    /// Takes note that what holds the token was written.
    func takeNewToken() { clock?.takeNewToken() }

    /// Has the service asked soon.
    func hurry() { clock?.hurry() }

    /// Sees whether the machine runs on its battery, if that is known without waiting.
    func lookAtBattery() {
        if let surroundings { spareTheBattery(surroundings.isOnBattery) }
    }

    private func take(_ event: MachineEvent) {
        parts.log.debug("the machine: \(event)")
        befell(event)
        clock?.take(event)
    }

    private func lookAround() async -> MachineConditions {
        guard let surroundings else { return conditions }
        conditions = await surroundings.conditions()
        spareTheBattery(conditions.isOnBattery)
        return conditions
    }

    /// Half of the workers on battery: what is made ahead has time.
    private func spareTheBattery(_ isOnBattery: Bool) {
        let width = isOnBattery ? max(1, parts.renderer.width / 2) : parts.renderer.width
        if queue.width != width { queue.width = width }
    }
}
