/// A layer whose latest version from the service was not accepted, or only in part.
public struct LayerDoubt: Hashable, Sendable {
    /// What is wrong with it.
    public enum Reason: Hashable, Sendable, Codable {
        /// It, or some of its marks, cannot be read.
        case unreadable(String)
        /// It is older than the one that is here.
        case older(revision: Int, than: Int)
        /// It lacks this many of the marks that are here, though it is said to be the same revision, or from no later time.
        case contradictory(missing: Int, of: Int)
        /// It is newer but has no marks, while this many are here: if somebody did erase them all, waiting an hour costs nothing.
        case emptied(marks: Int)
        /// It is on another chart.
        case elsewhere(AttachmentID)
        /// It is said to have been deleted at an impossible time.
        case deleted(at: Timestamp)

        /// How long the service must keep saying the same before it is believed; `nil` for what cannot be read.
        public var confirmation: Duration? {
            if case .unreadable = self { nil } else { .seconds(3600) }
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

    /// Names a layer.
    public init(
        layer: LayerID, attachment: AttachmentID, name: String, personName: String, since: Timestamp, reason: Reason, keepsFormer: Bool
    ) {
        self.layer = layer
        self.attachment = attachment
        self.name = name
        self.personName = personName
        self.since = since
        self.reason = reason
        self.keepsFormer = keepsFormer
    }

    /// What people call the layer.
    public var displayName: String { Layer.displayName(name, by: personName) }

    /// For people, without a full stop.
    public func sentence(telling times: TimeWords) -> String {
        "the marks of \(displayName): \(reason.sentence(telling: times))"
            + (keepsFormer ? "; the previous ones are shown" : "; they are not shown")
    }
}

extension LayerDoubt.Reason {
    /// What can be done about it, or happens without anybody.
    public var advice: String {
        confirmation == nil
            ? "ask whoever made them to save them again; you may need a newer woodshed"
            : "the change is accepted if the service still says so in an hour"
    }

    /// For people, without a full stop.
    public func sentence(telling times: TimeWords) -> String {
        switch self {
        case .unreadable(let fault): fault
        case .older(let revision, let kept): "the service sent revision \(revision), but revision \(kept) is already here"
        case .contradictory(let missing, let all):
            "the service sent \(missing == all ? "none" : "only \(all - missing)") of the \(all == 1 ? "one mark" : "\(all) marks"), yet calls them unchanged"
        case .emptied(let marks):
            "the service sent them without \(marks == 1 ? "the one mark" : "any of the \(marks) marks") that \(marks == 1 ? "is" : "are") here"
        case .elsewhere(let chart): "the service says that they are on another chart (\(chart))"
        case .deleted(let time):
            "the service says that they were deleted, but at an impossible time (\(times.day(time)))"
        }
    }
}
