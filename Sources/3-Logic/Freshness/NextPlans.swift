public import Model

/// Decides which plans come next. The decision depends on a plan's first time that is still to come, not on an earlier time
/// such as a past rehearsal.
public enum NextPlans {
    /// When a plan is played next. Lesser values come first.
    enum Turn: Comparable {
        /// The present time if the plan is going on, otherwise the time when it begins.
        case at(Timestamp)
        case anyDay
        /// All times of the plan are past, but the plan is still kept for a while.
        case over
    }

    /// How long after its planned end a plan still counts as going on.
    private static let lateness: Duration = .seconds(3600)
    /// A plan that begins within this time after the next plan counts as being on the same day, for the same people.
    private static let sameDay: Duration = .seconds(12 * 3600)

    static func turn(of plan: Plan, at now: Timestamp) -> Turn {
        guard let first = plan.firstTime else { return .anyDay }
        if first > now { return .at(first) }
        if let service = plan.serviceTime, service > now { return .at(service) }
        return (plan.end ?? first) + lateness >= now ? .at(now) : .over
    }

    /// The order of plans. The plan to be played next comes first. Plans in `gone`, which the service no longer lists, come after
    /// all others that are not past, so such a plan is the next one only if no other is coming.
    public static func isEarlier(_ plan: Plan, than other: Plan, gone: Set<PlanID> = [], at now: Timestamp) -> Bool {
        func rank(_ plan: Plan) -> Int { plan.isPast(at: now) ? 2 : gone.contains(plan.id) ? 1 : 0 }
        if !gone.isEmpty, rank(plan) != rank(other) { return rank(plan) < rank(other) }
        let (mine, theirs) = (turn(of: plan, at: now), turn(of: other, at: now))
        if mine != theirs { return mine < theirs }
        // Of two plans that are over, the later one comes first.
        return mine == .over ? other.comesBefore(plan) : plan.comesBefore(other)
    }

    /// The plans that people mean by "the next one", among the `plans` that are kept ready: the next plan, and all others on the
    /// same day. A plan without a time may be on that day, so it is included.
    ///
    /// A plan that the service no longer lists (`gone`) may have been created again with another id. Such a plan is included
    /// together with the next listed plan, but does not replace it.
    public static func among(_ plans: [PlanContents], gone: Set<PlanID>, at now: Timestamp) -> [PlanContents] {
        let sorted = plans.sorted { isEarlier($0.plan, than: $1.plan, at: now) }
        let turns = sorted.map { turn(of: $0.plan, at: now) }
        let named = sorted.firstIndex { !gone.contains($0.plan.id) } ?? 0
        let undated = sorted.indices.filter { turns[$0] == .anyDay && !gone.contains(sorted[$0].plan.id) }
        guard sorted.indices.contains(named), case .at(let next) = turns[named] else {
            return sorted.indices.filter { $0 <= named || undated.contains($0) }.map { sorted[$0] }
        }
        // While a plan is going on, plans that begin before its end are included, even after twelve hours.
        let end = next == now ? max(next + sameDay, sorted[named].plan.end ?? next) : next + sameDay
        return sorted.indices.filter { $0 <= named || turns[$0] <= .at(end) || undated.contains($0) }.map { sorted[$0] }
    }
}
