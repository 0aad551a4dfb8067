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
    /// Whether the service told which plans there are. One that only has trouble, or a hotel's page in its place, does not.
    public var hasList = true
    /// Whether it told all marks on those plans that are for us. One that offers none, or says that some are not for us, has.
    public var hasMarks = true
    /// How long the service wants to be left alone before it is asked again.
    public var retryAfter: Duration?
    /// What was different from what the library held, in the order in which it was found.
    public var changes: [LibraryChange] = []
    /// What did not work, in the order in which it happened.
    public var setbacks: [Setback] = []
    /// Whether the service told everything and meant the same time as this machine. Only then may anything be let go of for its age.
    public var isTrusted = false
    /// Whether it was ended before its time. What had come whole by then is kept.
    public var isCancelled = false

    /// Whether the service answered with something that is of use.
    public var isAnswered: Bool { reach == .reached && hasList }
    /// Whether there was no answer of use that is no word about the token.
    var isMissed: Bool { reach != .notAuthorised && !isAnswered }
    /// Whether the service is soon asked again: for a list that it did not tell, for marks, or since it refused the token, which
    /// it may take the next time.
    var isWorthRepeating: Bool { !isAnswered || !hasMarks }
    /// Whether all of it worked.
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty && !isCancelled }
}
