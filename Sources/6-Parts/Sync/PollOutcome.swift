public import Model

/// The result of one poll.
public struct PollOutcome: Hashable, Sendable {
    /// How far we got with the service.
    public enum Reach: Hashable, Sendable {
        /// It answered.
        case reached
        /// It could not be reached; what is here stays usable.
        case offline
        /// It does not accept our token, or no longer does.
        case notAuthorised
    }

    public var reach = Reach.reached
    /// Whether the service listed the plans. A service in trouble does not, nor does a hotel's log-in page in its place.
    var hasList = true
    /// Whether it sent all marks on those plans that are for us. That is also so if it offers none, or says that some are not for us.
    public var hasMarks = true
    /// How long the service wants to be left alone before it is asked again.
    public var retryAfter: Duration?
    /// What differed from the library, in the order in which it was found.
    public var changes: [LibraryChange] = []
    /// What did not work, in the order in which it happened.
    public var setbacks: [Setback] = []
    /// Whether the poll answered in full and the service's clock agrees with ours. Only then may anything be removed for its age.
    public var isTrusted = false
    /// Whether it was ended early. Whatever had arrived complete by then is kept.
    public var isCancelled = false

    /// Whether the service gave a usable answer.
    public var isAnswered: Bool { reach == .reached && hasList }
    /// Whether there was no usable answer, for another reason than the token.
    var isMissed: Bool { reach != .notAuthorised && !isAnswered }
    /// Whether to ask the service again soon: because it did not list the plans, did not send marks, or refused the token, which it may
    /// accept the next time.
    var isWorthRepeating: Bool { !isAnswered || !hasMarks }
    /// Whether everything worked.
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty && !isCancelled }
}
