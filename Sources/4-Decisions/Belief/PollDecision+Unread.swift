package import Model

extension PollDecision {
    /// Which listed plans are still to be read after a poll, by id.
    ///
    /// A plan that is here, and is listed for the same time as before, is not among them: what is here of it counts for as long as the
    /// service's last full answer does. `expected` are all plans that are listed and will be kept ready; `nil` if there may be others.
    package static func unread(
        after former: [UnreadPlan], _ failed: [UnreadPlan], known: [Known], told: [PlanContents], expected: Set<PlanID>?
    ) -> [UnreadPlan] {
        let read = Set(told.map(\.plan.id))
        let kept = Dictionary(known.map { ($0.contents.plan.id, $0.contents.plan) }) { first, _ in first }
        var unread = Dictionary(former.map { ($0.plan.id, $0) }) { first, _ in first }
        for var plan in failed {
            let id = plan.plan.id
            if let before = unread[id] {
                (plan.since, plan.reason) = (min(before.since, plan.since), plan.reason ?? before.reason)
            } else if let kept = kept[id], kept.firstTime == plan.plan.firstTime {
                continue
            }
            unread[id] = plan
        }
        return unread.values.filter { !read.contains($0.plan.id) && expected?.contains($0.plan.id) ?? true }
            .sorted { $0.plan.id < $1.plan.id }
    }
}
