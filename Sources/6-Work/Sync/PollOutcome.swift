public import Model

/// The result of one poll.
public struct PollOutcome: Hashable, Sendable {
    /// How far we got with the service.
    public enum Reach: String, Hashable, Sendable, Codable {
        case reached
        /// It could not be reached; charts that are here stay usable.
        case offline
        /// It does not accept our token, or no longer does.
        case notAuthorised = "not-authorised"
    }

    public var reach = Reach.reached
    /// True if the service listed the plans. A service in trouble does not, nor does a hotel's log-in page in its place.
    var hasList = true
    /// True if it sent all marks on those plans that are for us. That includes a service that offers none, or denies us some.
    public var hasMarks = true
    /// How long the service wants to be left alone before it is asked again.
    public var retryAfter: Duration?
    /// The differences from the library, in the order in which they were found.
    public var changes: [LibraryChange] = []
    /// The failures, in the order in which they happened.
    public var setbacks: [Setback] = []
    /// True if the poll answered in full and the service's clock agrees with ours. Only then may anything be removed for its age.
    public var isTrusted = false
    /// True if it was ended early. Everything that had arrived complete by then is kept.
    public var isCancelled = false

    /// True if the service gave a usable answer.
    public var isAnswered: Bool { reach == .reached && hasList }
    /// True if there was no usable answer, for another reason than the token.
    var isMissed: Bool { reach != .notAuthorised && !isAnswered }
    /// True if the service should be asked again soon, because it did not list the plans, did not send marks, named a time after which it
    /// answers again, or refused the token, which it may accept the next time.
    var isWorthRepeating: Bool { !isAnswered || !hasMarks || retryAfter != nil }
    /// True if everything worked.
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty && !isCancelled }

    var cancelled: PollOutcome {
        var outcome = self
        outcome.isCancelled = true
        return outcome
    }
}

/// Which parts of the coming plans a poll is about.
public struct PollScope: Sendable {
    /// Only these plans; all when `nil`.
    public var plans: Set<PlanID>?
    /// Only these charts are downloaded; all when `nil`. Their plans are fetched as a whole all the same.
    public var charts: (@Sendable (Attachment, PlanItem) -> Bool)?
    /// True if a person asks, and not the clock: then the service is asked even after it refused the token, and files that were unusable
    /// are fetched again.
    public var isRequested: Bool

    /// By default everything, asked for by a person.
    public init(
        plans: Set<PlanID>? = nil, charts: (@Sendable (Attachment, PlanItem) -> Bool)? = nil, isRequested: Bool = true
    ) {
        (self.plans, self.charts, self.isRequested) = (plans, charts, isRequested)
    }

    public static let everything = PollScope()

    /// True if it leaves nothing out.
    var isEverything: Bool { plans == nil && charts == nil }
}

/// The downloads of a poll.
public struct DownloadProgress: Hashable, Sendable, Codable {
    public var charts = 0
    public var done = 0
    /// Bytes that have arrived, and those announced for all; for files that are made on demand nothing is announced.
    public var bytes = 0
    public var announcedBytes = 0
}

extension DownloadProgress {
    /// Starts with the service's figures for these files; there may be any number, of any size.
    init(of files: [Attachment]) {
        let bytes = files.map { max($0.fileSize, 0) }.reduce(0) { min($0, .max - $1) + $1 }
        self.init(charts: files.count, announcedBytes: bytes)
    }
}
