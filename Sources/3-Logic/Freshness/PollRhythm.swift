public import Model

/// How often the service is asked: the nearer a plan's time, the sooner a change there matters.
public struct PollRhythm: Hashable, Sendable {
    /// The time between two polls within six hours of a plan's time.
    public var near: Duration
    /// The time between two polls within two days of it.
    public var soon: Duration
    /// The time between two polls at all other times.
    public var far: Duration

    public init(near: Duration = .seconds(5 * 60), soon: Duration = .seconds(30 * 60), far: Duration = .seconds(2 * 3600)) {
        (self.near, self.soon, self.far) = (near, soon, far)
    }

    /// Circumstances that make asking expensive.
    public struct Costs: Hashable, Sendable {
        public var isOnBattery: Bool
        public var isMetered: Bool

        public init(isOnBattery: Bool = false, isMetered: Bool = false) { (self.isOnBattery, self.isMetered) = (isOnBattery, isMetered) }

        /// By how much polls become rarer. A laptop on stage runs on its battery, but near a service even that is often enough.
        package var factor: Int { (isOnBattery ? 2 : 1) * (isMetered ? 2 : 1) }
    }

    private static let nearReach = Duration.seconds(6 * 3600)
    private static let soonReach = Duration.seconds(2 * 86_400)

    /// When to ask again after a poll at `last`; if that failed, after a `pause`, where that is shorter.
    ///
    /// A plan may come nearer meanwhile, so this is the first moment at which the rhythm of that moment says that it is time.
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
    /// How far its times are from a moment; zero while it is going on.
    fileprivate func distances(from moment: Timestamp) -> [Duration] {
        guard let firstTime else { return [] }
        let lastTime = end ?? firstTime
        if moment < firstTime { return [firstTime - moment] }
        return [moment > lastTime ? moment - lastTime : .zero]
    }
}
