/// A plan that the service lists, while what it last said of its contents could not be read.
public struct UnreadPlan: Hashable, Sendable {
    /// As it is listed.
    public var plan: Plan
    public var since: Timestamp
    /// Why, in words that follow a colon; `nil` while it has not been asked for.
    public var reason: String?

    /// Describes a plan.
    public init(plan: Plan, since: Timestamp, reason: String? = nil) {
        self.plan = plan
        self.since = since
        self.reason = reason
    }
}
