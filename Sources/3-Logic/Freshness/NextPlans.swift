public import Model

/// Which plans come next: judging by the first of their times that is still to come, not by one that is over, such as a rehearsal.
public enum NextPlans {
    /// When a plan is next played from, by its times.
    enum Turn: Comparable {
        /// Now, while it is going on; otherwise when it begins.
        case at(Timestamp)
        case anyDay
        /// All its times are over, but it is kept for a while.
        case over
    }

    /// A service may end later than planned.
    private static let lateness: Duration = .seconds(3600)
    /// A plan that begins this soon after the next one is played on the same day, and by the same people.
    private static let sameDay: Duration = .seconds(12 * 3600)

    static func turn(of plan: Plan, at now: Timestamp) -> Turn {
        guard let first = plan.firstTime else { return .anyDay }
        if first > now { return .at(first) }
        if let service = plan.serviceTime, service > now { return .at(service) }
        return (plan.end ?? first) + lateness >= now ? .at(now) : .over
    }

    /// The order of plans at a time of day: the next one to be played from comes first. Those in `gone`, which the service no longer names,
    /// come after all others that are not over: such a plan is the next one only where no other is coming.
    public static func isEarlier(_ plan: Plan, than other: Plan, gone: Set<PlanID> = [], at now: Timestamp) -> Bool {
        func rank(_ plan: Plan) -> Int { plan.isPast(at: now) ? 2 : gone.contains(plan.id) ? 1 : 0 }
        if !gone.isEmpty, rank(plan) != rank(other) { return rank(plan) < rank(other) }
        let (mine, theirs) = (turn(of: plan, at: now), turn(of: other, at: now))
        if mine != theirs { return mine < theirs }
        // The longer a plan has been over, the less anybody wants it.
        return mine == .over ? other.comesBefore(plan) : plan.comesBefore(other)
    }

    /// Of the plans that are kept ready, those that people mean by "the next one": the next, and any others on the same day. A plan
    /// without a time may be on that day.
    ///
    /// A plan that the service no longer names (`gone`) may have been created again under another id. It comes with the next plan that
    /// is named, not instead of it.
    public static func among(_ plans: [PlanContents], gone: Set<PlanID>, at now: Timestamp) -> [PlanContents] {
        let sorted = plans.sorted { isEarlier($0.plan, than: $1.plan, at: now) }
        let turns = sorted.map { turn(of: $0.plan, at: now) }
        let named = sorted.firstIndex { !gone.contains($0.plan.id) } ?? 0
        let undated = sorted.indices.filter { turns[$0] == .anyDay && !gone.contains(sorted[$0].plan.id) }
        guard sorted.indices.contains(named), case .at(let next) = turns[named] else {
            return sorted.indices.filter { $0 <= named || undated.contains($0) }.map { sorted[$0] }
        }
        // While a plan is going on, its end counts as well.
        let end = next == now ? max(next + sameDay, sorted[named].plan.end ?? next) : next + sameDay
        return sorted.indices.filter { $0 <= named || turns[$0] <= .at(end) || undated.contains($0) }.map { sorted[$0] }
    }
}
