public import Model

/// The upcoming plans, as far as they could be read.
public struct PlanList: Hashable, Sendable {
    /// Each plan once, earliest first.
    public var plans: [Plan]
    /// What could not be read of the list. A plan that is not in `plans` may be in that part.
    public var troubles: [ServiceFailure]

    /// Schedules that do not say which plan they are for, as plans with ids of their own: one of these may be the next plan.
    public var nameless: [Plan] = []

    /// Plans that the musician declined.
    public var declined: Set<PlanID> = []

    /// Whether a plan that is not in `plans` does not exist.
    public var isWhole: Bool { troubles.isEmpty }
}
