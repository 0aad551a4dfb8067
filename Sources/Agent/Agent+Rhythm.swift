import Freshness
import Library
import Model
import PageCache
public import Platform
import Rendering

extension Agent {
    /// Asks the service now, and from then on by the rhythm; sees when the machine wakes up, finds a network or has its clock set.
    ///
    /// `afterPoll` is called after each of these polls, one call at a time; the next poll does not wait for it.
    public func beginPolling(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        self.surroundings = surroundings
        let afterPolls = AfterPolls(afterPoll)
        let clock = PollClock(
            settings.rhythm, time: parts.time, conditions: { [weak self] in await self?.lookAround() ?? MachineConditions() },
            plans: { [weak self] in self?.plansToAskFor() ?? [] },
            poll: { [weak self] in
                guard let outcome = await self?.poll(PollScope(isRequested: false)), !outcome.isCancelled else { return }
                afterPolls.take(outcome)
            })
        pollClock = clock
        surroundings.start { [weak self] event in self?.take(event) }
        clock.begin()
    }

    /// How polling by the rhythm stands; `nil` where it has not begun.
    public var polling: PollClock.State? { pollClock?.state }

    /// Takes note that what holds the token was written.
    public func takeNewToken() { pollClock?.takeNewToken() }

    func endPolling() {
        pollClock?.end()
        pollClock = nil
        surroundings?.stop()
        surroundings = nil
    }

    private func take(_ event: MachineEvent) {
        parts.log.debug("the machine: \(event)")
        switch event {
        case .wokeUp:
            // Disks and folders may have come and gone, and what inotify would have told went by unheard.
            parts.cache.doubtAll()
            markKeeper.look()
            reconcile()
        // Which plans are coming is a matter of the time of day; and folders may be on the network.
        case .clockJumped, .networkCame: reconcile()
        }
        pollClock?.take(event)
    }

    private func lookAround() async -> MachineConditions {
        guard let surroundings else { return conditions }
        conditions = await surroundings.conditions()
        spareTheBattery(conditions.isOnBattery)
        return conditions
    }

    /// Half of the workers on battery: what is made ahead has time.
    func spareTheBattery(_ isOnBattery: Bool) {
        let width = isOnBattery ? max(1, parts.renderer.width / 2) : parts.renderer.width
        if queue.width != width { queue.width = width }
    }

    private func plansToAskFor() -> [Plan] {
        (try? wants.plans(now: now).map(\.plan)) ?? []
    }
}
