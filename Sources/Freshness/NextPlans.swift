public import Model

/// Which plans come next: by the first of their times that is still to come, not by one that is behind, as a rehearsal may be.
public enum NextPlans {
    /// When a plan is played from next, as far as its times tell.
    enum Turn: Comparable {
        /// Now, while it is on; else when it begins.
        case at(Timestamp)
        /// It has no times.
        case anyDay
        /// All its times are behind, though it is kept for a while.
        case over
    }

    /// A service may end later than it was meant to.
    private static let lateness: Duration = .seconds(3600)
    /// What begins so soon after the next plan is played on the same day, and by the same people.
    private static let sameDay: Duration = .seconds(12 * 3600)

    static func turn(of plan: Plan, at now: Timestamp) -> Turn {
        guard let first = plan.firstTime else { return .anyDay }
        if first > now { return .at(first) }
        if let service = plan.serviceTime, service > now { return .at(service) }
        return (plan.lastTime ?? first) + lateness >= now ? .at(now) : .over
    }

    /// The order of plans at a time of day: what is played from next comes first.
    public static func isEarlier(_ plan: Plan, than other: Plan, at now: Timestamp) -> Bool {
        let (mine, theirs) = (turn(of: plan, at: now), turn(of: other, at: now))
        if mine != theirs { return mine < theirs }
        // What is over longest is of the least interest.
        return mine == .over ? other.comesBefore(plan) : plan.comesBefore(other)
    }

    /// Of the plans that are kept ready those that somebody means who asks for the next one: the next, and what is on the same day.
    ///
    /// A plan that the service names no more (`gone`) may have been made anew under another name. It comes beside the next one that
    /// is named, not in its stead.
    public static func among(_ plans: [PlanContents], gone: Set<PlanID>, at now: Timestamp) -> [PlanContents] {
        let sorted = plans.sorted { isEarlier($0.plan, than: $1.plan, at: now) }
        let turns = sorted.map { turn(of: $0.plan, at: now) }
        let named = sorted.firstIndex { !gone.contains($0.plan.id) } ?? 0
        guard sorted.indices.contains(named), case .at(let next) = turns[named] else { return Array(sorted.prefix(named + 1)) }
        // Of a plan that has begun nobody may know when it goes on, only when it ends.
        let end = next == now ? max(next + sameDay, sorted[named].plan.lastTime ?? next) : next + sameDay
        return sorted.indices.filter { $0 <= named || turns[$0] <= .at(end) }.map { sorted[$0] }
    }
}
