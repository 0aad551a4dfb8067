public import Model

/// The coming plans, as far as they could be read.
public struct PlanList: Hashable, Sendable {
    /// Each once, earliest first.
    public var plans: [Plan]
    /// What could not be read of the list. A plan that is not named may then be among it.
    public var troubles: [ServiceFailure]

    /// Whether a plan that is not named is not there.
    public var isWhole: Bool { troubles.isEmpty }
}
