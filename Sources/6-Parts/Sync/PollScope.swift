public import Model

/// Which parts of the coming plans a poll is about.
public struct PollScope: Sendable {
    /// Only these plans; all when `nil`.
    public var plans: Set<PlanID>?
    /// Only these charts are downloaded; all when `nil`. Their plans are fetched as a whole all the same.
    public var charts: (@Sendable (Attachment, PlanItem) -> Bool)?
    /// Whether a person asks, and not the clock: then the service is asked even after it refused the token, and files that were unusable
    /// are fetched again.
    public var isRequested: Bool

    /// Describes what a poll is about; by default everything, asked for by a person.
    public init(
        plans: Set<PlanID>? = nil, charts: (@Sendable (Attachment, PlanItem) -> Bool)? = nil, isRequested: Bool = true
    ) {
        self.plans = plans
        self.charts = charts
        self.isRequested = isRequested
    }

    /// Everything, asked for by a person.
    public static let everything = PollScope()

    /// Whether it leaves nothing out.
    var isEverything: Bool { plans == nil && charts == nil }
}
