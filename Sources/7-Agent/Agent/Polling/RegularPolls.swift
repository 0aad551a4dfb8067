import Freshness
import Model
import PageCache
import Platform
import Rendering
import Sync

/// Has the service asked regularly, as power, network and the next plan allow.
@LoopActor
final class RegularPolls {
    private let parts: Agent.Parts
    private let rhythm: PollRhythm
    private let queue: RenderQueue
    /// Called with what happened to the machine, before the service is asked because of it.
    private let befell: @LoopActor (MachineEvent) -> Void
    private var clock: PollClock?
    private var surroundings: (any Surroundings)?
    /// What power and network cost, as of the last look.
    private var conditions = MachineConditions()

    init(_ parts: Agent.Parts, _ rhythm: PollRhythm, queue: RenderQueue, befell: @escaping @LoopActor (MachineEvent) -> Void) {
        self.parts = parts
        self.rhythm = rhythm
        self.queue = queue
        self.befell = befell
    }

    /// The state of polling; `nil` if it has not begun.
    var state: PollClock.State? { clock?.state }

    /// Asks the service about these plans now, and from then on regularly; notices when the machine wakes up, finds a network or has its
    /// clock set.
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

    /// Notes that the token's file was written.
    func takeNewToken() { clock?.takeNewToken() }

    /// Has the service asked soon.
    func hurry() { clock?.hurry() }

    /// Checks whether the machine runs on battery, if that is known without waiting.
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

    /// Uses half of the workers on battery: what is made ahead is not urgent.
    private func spareTheBattery(_ isOnBattery: Bool) {
        let width = isOnBattery ? max(1, parts.renderer.width / 2) : parts.renderer.width
        if queue.width != width { queue.width = width }
    }
}
