import Freshness
import Library
import Model
import PageCache
public import Platform

extension Agent {
    /// Asks the service now, and from then on by the rhythm; sees when the machine wakes up, finds a network or has its clock set.
    ///
    /// `afterPoll` is called after each of these polls, before the next one is planned.
    public func beginPolling(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        self.surroundings = surroundings
        let clock = PollClock(
            settings.rhythm, time: parts.time, conditions: { [weak self] in await self?.lookAround() ?? MachineConditions() },
            plans: { [weak self] in self?.plansToAskFor() ?? [] },
            poll: { [weak self] in
                guard let outcome = await self?.poll(PollScope(isRequested: false)), !outcome.isCancelled else { return }
                await afterPoll(outcome)
            })
        pollClock = clock
        surroundings.start { [weak self] event in self?.take(event) }
        clock.begin()
    }

    /// How polling by the rhythm stands; `nil` where it has not begun.
    public var polling: PollClock.State? { pollClock?.state }

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
        // Which plans are coming is a matter of the time of day.
        case .clockJumped: reconcile()
        case .networkCame: break
        }
        pollClock?.take(event)
    }

    private func lookAround() async -> MachineConditions {
        guard let surroundings else { return conditions }
        conditions = await surroundings.conditions()
        return conditions
    }

    private func plansToAskFor() -> [Plan] {
        (try? wants.plans(now: now).map(\.plan)) ?? []
    }
}
