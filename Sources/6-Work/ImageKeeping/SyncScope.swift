import Freshness
public import Model

/// Limits which plans, charts and images are brought up to date. The list of plans is fetched in any case; whatever is outside the
/// scope stays as it is.
public enum SyncScope: Hashable, Sendable {
    /// Every coming plan.
    case all
    /// The next coming plan, and any other plan on the same day or without a time.
    case nextPlan
    /// One plan.
    case plan(PlanID)
    /// One chart, in every plan that has it.
    case chart(AttachmentID)

    /// Which of these plans have to be requested from the service with their contents.
    package func asked(of plans: [Plan], at now: Timestamp) -> [Plan] {
        if case .chart = self { return plans }
        return narrowed(plans.map { PlanContents(plan: $0, items: []) }, gone: [], at: now).map(\.plan)
    }

    /// The plans that are in the scope, each with only its charts in the scope. The service no longer lists the plans in `gone`.
    public func narrowed(_ plans: [PlanContents], gone: Set<PlanID>, at now: Timestamp) -> [PlanContents] {
        switch self {
        case .all: return plans
        case .nextPlan: return NextPlans.among(plans, gone: gone, at: now)
        case .plan(let id): return plans.filter { $0.plan.id == id }
        case .chart(let id):
            return plans.map { contents in
                var contents = contents
                for item in contents.items.indices { contents.items[item].attachments.removeAll { $0.id != id } }
                contents.items.removeAll { $0.attachments.isEmpty }
                contents.leftOut.removeAll { $0.attachment != id }
                return contents
            }.filter { !$0.items.isEmpty }
        }
    }
}
