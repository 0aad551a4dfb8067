/// A layer whose latest version from the service was not accepted, or only in part.
public struct LayerDoubt: Hashable, Sendable {
    public enum Reason: Hashable, Sendable, Codable {
        /// It, or some of its marks, cannot be read.
        case unreadable(String)
        /// It lacks marks that are here, and is older.
        case older(revision: Int, than: Int)
        /// It lacks this many of the marks that are here, and the service was put back to an older state: this version has an earlier time,
        /// the service sent an older version before, or something else that is older in the same poll.
        case putBack(missing: Int, of: Int)
        /// It lacks this many of the marks that are here, though it has the same revision, or no later time.
        case contradictory(missing: Int, of: Int)
        /// It is newer but has no marks, while this many are here: if somebody did erase them all, waiting an hour costs nothing.
        case emptied(marks: Int)
        /// It is newer, but none of its marks can be seen on its page, while this many are here.
        case outOfSight(marks: Int)
        /// It is on another chart.
        case elsewhere(AttachmentID)
        /// It has an impossible time of deletion.
        case deleted(at: Timestamp)

        /// How long the service must send the same before it is believed; `nil` if no time makes it right.
        public var confirmation: Duration? {
            if case .unreadable = self { nil } else { isOfThePast ? nil : .seconds(3600) }
        }

        /// Whether the service had something newer before. That is kept until a person accepts the older.
        public var isOfThePast: Bool {
            switch self {
            case .older, .putBack: true
            default: false
            }
        }
    }

    public var layer: LayerID
    /// The chart that it is on, as far as that is believed.
    public var attachment: AttachmentID
    public var name: String
    public var personName: String
    public var since: Timestamp
    public var reason: Reason
    /// Whether the layer is shown as it was before.
    public var keepsFormer: Bool

    public init(
        layer: LayerID, attachment: AttachmentID, name: String, personName: String, since: Timestamp, reason: Reason, keepsFormer: Bool
    ) {
        (self.layer, self.attachment, self.name, self.personName) = (layer, attachment, name, personName)
        (self.since, self.reason, self.keepsFormer) = (since, reason, keepsFormer)
    }

    public var displayName: String { Layer.displayName(name, by: personName) }

    /// For people, without a full stop.
    public func sentence(telling times: TimeWords) -> String {
        "the marks of \(displayName): \(reason.sentence(telling: times))"
            + (keepsFormer ? "; the previous ones are shown" : "; they are not shown")
    }

    /// As above, with a remedy, if a person has to act.
    public func advised(telling times: TimeWords) -> String {
        sentence(telling: times) + (reason.isOfThePast ? "; \(reason.advice(on: attachment))" : "")
    }
}

extension LayerDoubt.Reason {
    /// The remedy for marks on this chart, or what happens by itself.
    public func advice(on chart: AttachmentID) -> String {
        if isOfThePast { return "if the service is right, run '\(woodshed("accept \(chart)"))' and '\(woodshed("sync"))'" }
        return confirmation == nil
            ? "ask whoever made them to save them again; you may need a newer woodshed"
            : "the change is accepted if the service still says so in an hour"
    }

    /// For people, without a full stop.
    public func sentence(telling times: TimeWords) -> String {
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
