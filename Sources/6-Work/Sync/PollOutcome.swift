public import Model

/// The result of one poll.
public struct PollOutcome: Hashable, Sendable {
    /// How far the poll got.
    public enum Reach: String, Hashable, Sendable, Codable {
        case reached
        /// The service could not be reached; charts that are here stay usable.
        case offline
        /// The service refuses the token, which it may have accepted before.
        case notAuthorised = "not-authorised"
    }

    public var reach = Reach.reached
    /// Whether the service listed the plans. False if the service fails, or if a hotel's log-in page answers in its place.
    var hasList = true
    /// Whether the service sent all marks on those plans that the user may see; true if the service offers none, or denies access to some.
    public var hasMarks = true
    /// The pause that the service demanded before the next poll.
    public var retryAfter: Duration?
    /// The changes to the library, in the order in which they were found.
    public var changes: [LibraryChange] = []
    /// The failures, in the order in which they occurred.
    public var setbacks: [Setback] = []
    /// Whether the poll was complete and the service's clock agrees with this machine's. Only then may data be removed for its age.
    public var isTrusted = false
    /// Whether the poll was ended early. Everything that had arrived completely by then is kept.
    public var isCancelled = false

    /// Whether the service sent a usable answer.
    public var isAnswered: Bool { reach == .reached && hasList }
    /// Whether there was no usable answer, for another reason than the token.
    var isMissed: Bool { reach != .notAuthorised && !isAnswered }
    /// Whether the service should be polled again soon, because it did not list the plans, did not send marks, named a time to
    /// wait, or refused the token, which it may accept the next time.
    var isWorthRepeating: Bool { !isAnswered || !hasMarks || retryAfter != nil }
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty && !isCancelled }

    var cancelled: PollOutcome {
        var outcome = self
        outcome.isCancelled = true
        return outcome
    }
}

/// Which parts of the coming plans a poll is about.
public struct PollScope: Sendable {
    /// Only these plans; all plans if `nil`.
    public var plans: Set<PlanID>?
    /// Downloads only these charts; all charts if `nil`. Their plans are fetched completely in any case.
    public var charts: (@Sendable (Attachment, PlanItem) -> Bool)?
    /// Whether a person requested the poll, and not the clock: the service is then polled even if it has refused the token, and
    /// unusable files are fetched again.
    public var isRequested: Bool

    /// By default, everything, as requested by a person.
    public init(
        plans: Set<PlanID>? = nil, charts: (@Sendable (Attachment, PlanItem) -> Bool)? = nil, isRequested: Bool = true
    ) {
        (self.plans, self.charts, self.isRequested) = (plans, charts, isRequested)
    }

    public static let everything = PollScope()

    /// Whether the poll covers all plans and charts.
    var isEverything: Bool { plans == nil && charts == nil }
}

/// The downloads of a poll.
public struct DownloadProgress: Hashable, Sendable, Codable {
    public var charts = 0
    public var done = 0
    /// Bytes that have arrived; `announcedBytes` is the total that was announced, to which files made on demand add nothing.
    public var bytes = 0
    public var announcedBytes = 0
}

extension DownloadProgress {
    /// Starts with the service's sizes for these files. Their sum is capped, since there may be any number of files, of any size.
    init(of files: [Attachment]) {
        let bytes = files.map { max($0.fileSize, 0) }.reduce(0) { min($0, .max - $1) + $1 }
        self.init(charts: files.count, announcedBytes: bytes)
    }
}
