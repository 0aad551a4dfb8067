public import Model

/// What came of one poll.
public struct PollOutcome: Hashable, Sendable {
    /// How far we came with the service.
    public enum Reach: Hashable, Sendable {
        /// It answered.
        case reached
        /// It could not be reached; what is here stays good.
        case offline
        /// It does not know us, or not any more.
        case notAuthorised
    }

    public var reach = Reach.reached
    /// What was different from what the library held, in the order in which it was found.
    public var changes: [LibraryChange] = []
    /// What did not work, in the order in which it happened.
    public var setbacks: [Setback] = []
    /// Whether it was ended before its time. What had come whole by then is kept.
    public var isCancelled = false

    /// Whether all of it worked.
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty && !isCancelled }
}
