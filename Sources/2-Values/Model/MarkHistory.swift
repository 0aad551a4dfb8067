/// How the former states of mark files that lost marks are kept.
public struct MarkHistory: Sendable {
    /// How many states are kept of each file.
    public static let states = 20
    /// How long they are kept.
    public static let age: Duration = .seconds(365 * 86_400)

    public let states: Int
    /// The time at which states are found to be former ones.
    public let now: Timestamp

    /// Keeps this many states of each file.
    public init(states: Int = MarkHistory.states, now: Timestamp) {
        self.states = states
        self.now = now
    }
}
