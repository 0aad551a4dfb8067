/// A layer whose latest version from the service was not accepted, or was accepted only in part.
public struct LayerDoubt: Hashable, Sendable {
    public enum Reason: Hashable, Sendable, Codable {
        /// The layer, or some of its marks, cannot be read.
        case unreadable(String)
        /// The layer lacks marks that are here, and has a lower revision.
        case older(revision: Int, than: Int)
        /// The layer lacks this many of the marks that are here, and the service was restored to an older state: this version has
        /// an earlier time, or the service sent an older version before, or something else in the same poll is older than here.
        case putBack(missing: Int, of: Int)
        /// The layer lacks this many of the marks that are here, although it has the same revision, or no later time.
        case contradictory(missing: Int, of: Int)
        /// The layer is newer and has no marks, while this many are here. If the owner did erase all marks, waiting an hour does no harm.
        case emptied(marks: Int)
        /// The layer is newer, but none of its marks is visible on its page, while this many are visible here.
        case outOfSight(marks: Int)
        /// The layer is now on another chart.
        case elsewhere(AttachmentID)
        /// The layer was deleted at an impossible time.
        case deleted(at: Timestamp)

        /// How long the service must send the same version before it is accepted; `nil` if waiting does not help.
        public var confirmation: Duration? {
            if case .unreadable = self { nil } else { isOfThePast ? nil : .seconds(3600) }
        }

        /// Whether the service had a newer version before, which is kept until a person accepts the older one.
        public var isOfThePast: Bool {
            switch self {
            case .older, .putBack: true
            default: false
            }
        }
    }

    public var layer: LayerID
    /// The chart that the layer is on, according to the last accepted version.
    public var attachment: AttachmentID
    public var name: String
    public var personName: String
    public var since: Timestamp
    public var reason: Reason
    /// Whether the layer's former version is still shown.
    public var keepsFormer: Bool

    public init(
        layer: LayerID, attachment: AttachmentID, name: String, personName: String, since: Timestamp, reason: Reason, keepsFormer: Bool
    ) {
        (self.layer, self.attachment, self.name, self.personName) = (layer, attachment, name, personName)
        (self.since, self.reason, self.keepsFormer) = (since, reason, keepsFormer)
    }

    public var displayName: String { Layer.displayName(name, by: personName) }

    /// A sentence for people, without a full stop.
    public func sentence(in times: TimeWords) -> String {
        "the marks of \(displayName): \(reason.sentence(in: times))"
            + (keepsFormer ? "; the previous ones are shown" : "; they are not shown")
    }

    /// The sentence, followed by the remedy if a person must accept the service's version.
    public func advised(in times: TimeWords) -> String {
        sentence(in: times) + (reason.isOfThePast ? "; \(reason.advice(on: attachment))" : "")
    }
}

extension LayerDoubt.Reason {
    /// What a person can do about the doubt, or what happens if nobody does anything. The marks are on `chart`.
    public func advice(on chart: AttachmentID) -> String {
        if isOfThePast { return "if the service is right, run '\(woodshed("accept \(chart)"))' and '\(woodshed("sync"))'" }
        return confirmation == nil
            ? "ask whoever made them to save them again; you may need a newer woodshed"
            : "the change is accepted if the service still says so in an hour"
    }

    /// The doubt in words for people, without a full stop.
    public func sentence(in times: TimeWords) -> String {
        switch self {
        case .unreadable(let fault): fault
        case .older(let revision, let kept): "the service sent revision \(revision), but revision \(kept) is already here"
        case .putBack(let missing, let all): "the service went back to an older state, and sent \(Self.rest(missing, all))"
        case .contradictory(let missing, let all): "the service sent \(Self.rest(missing, all)), yet calls them unchanged"
        case .emptied(let marks):
            "the service sent them without \(marks == 1 ? "the one mark" : "any of the \(marks) marks") that \(marks == 1 ? "is" : "are") here"
        case .outOfSight(let marks):
            "none of the marks that the service sent can be seen on the page, while \(marks == 1 ? "one is" : "\(marks) are") here"
        case .elsewhere(let chart): "the service says that they are on another chart (\(chart))"
        case .deleted(let time):
            "the service says that they were deleted, but at an impossible time (\(times.day(time)))"
        }
    }

    private static func rest(_ missing: Int, _ all: Int) -> String {
        "\(missing == all ? "none" : "only \(all - missing)") of the \(all == 1 ? "one mark" : "\(all) marks")"
    }
}
