/// A plan that was kept as it was, because the service's new version of it looks wrong.
public struct HeldBackPlan: Hashable, Sendable {
    /// The plan as it is kept.
    public let plan: Plan
    /// How many charts it has in the version that is kept.
    public let chartsKept: Int
    /// What the service says it is now.
    public let told: PlanContents
    /// Since when the service has said exactly that.
    public let since: Timestamp
    /// What is doubtful about it.
    public let reason: HoldReason

    package init(plan: Plan, chartsKept: Int, told: PlanContents, since: Timestamp, reason: HoldReason) {
        self.plan = plan
        self.chartsKept = chartsKept
        self.told = told
        self.since = since
        self.reason = reason
    }

    /// How many charts the service says it has.
    public var chartsTold: Int { told.attachments.count }
}
