public import Model

/// How often the service is polled. The nearer a plan is, the more a change matters.
public struct PollRhythm: Hashable, Sendable {
    /// The time between polls within six hours of a plan.
    public var near: Duration
    /// The time between polls within two days of a plan.
    public var soon: Duration
    /// The time between polls when no plan is near.
    public var far: Duration

    public init(near: Duration = .seconds(5 * 60), soon: Duration = .seconds(30 * 60), far: Duration = .seconds(2 * 3600)) {
        (self.near, self.soon, self.far) = (near, soon, far)
    }

    /// Circumstances in which polls are expensive.
    public struct Costs: Hashable, Sendable {
        public var isOnBattery: Bool
        public var isMetered: Bool

        public init(isOnBattery: Bool = false, isMetered: Bool = false) { (self.isOnBattery, self.isMetered) = (isOnBattery, isMetered) }

        /// The factor by which the time between polls grows. A laptop on stage runs on its battery, but near a service even this is
        /// often enough.
        package var factor: Int { (isOnBattery ? 2 : 1) * (isMetered ? 2 : 1) }
    }

    private static let nearReach = Duration.seconds(6 * 3600)
    private static let soonReach = Duration.seconds(2 * 86_400)

    /// The time of the next poll after a poll at `last`. If that poll failed, it is repeated after `pause`, unless the regular poll comes
    /// sooner; each factor of `costs` applies to both.
    ///
    /// Plans come nearer with time, so the interval may become shorter during the wait. Therefore, the result is the first moment whose own
    /// interval has passed since `last`.
    public func nextPoll(after last: Timestamp, pause: Duration? = nil, plans: [Plan], costs: Costs = Costs()) -> Timestamp {
        let moments = [near, soon, far].map { last + $0 * costs.factor }.sorted()
        let regular = moments.first { last + interval(at: $0, plans: plans) * costs.factor <= $0 } ?? moments[moments.count - 1]
        return pause.map { min(regular, last + $0 * costs.factor) } ?? regular
    }

    private func interval(at moment: Timestamp, plans: [Plan]) -> Duration {
        let distance = plans.filter { !$0.isPast(at: moment) }.flatMap { $0.distances(from: moment) }.min()
        guard let distance else { return far }
        if distance <= Self.nearReach { return near }
        return distance <= Self.soonReach ? soon : far
    }
}

extension Plan {
    /// The distance between the plan and a moment, as a list: zero while the plan is going on, and nothing if the plan has no time.
    fileprivate func distances(from moment: Timestamp) -> [Duration] {
        guard let firstTime else { return [] }
        let lastTime = end ?? firstTime
        if moment < firstTime { return [firstTime - moment] }
        return [moment > lastTime ? moment - lastTime : .zero]
    }
}
