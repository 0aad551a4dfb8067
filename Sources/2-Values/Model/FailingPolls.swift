/// What polls have met since the service last answered in full. What is here can be played from, but there may be newer charts.
public struct FailingPolls: Hashable, Sendable {
    public let since: Timestamp
    /// What the last of them met, in words for people.
    public let reason: String

    /// Makes a record.
    public init(since: Timestamp, reason: String) {
        self.since = since
        self.reason = reason
    }
}
