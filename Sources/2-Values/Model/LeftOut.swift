/// A file at the service that is not shown, and why.
public struct LeftOut: Hashable, Sendable, Codable {
    /// Why a file is not shown.
    public enum Reason: Hashable, Sendable, Codable {
        /// It is a recording, a link or a text document: nothing with pages.
        case notAPDF
        /// The configuration leaves it out, by this rule.
        case notChosen(rule: String)
        /// No item of the running order has it: it belongs to something else, of this kind in the service's words.
        case ofNoItem(owner: String)
        /// The service does not let us download it.
        case noPermission
    }

    /// Whether it is not shown because somebody chose so.
    public var isByChoice: Bool {
        if case .notChosen = reason { true } else { false }
    }

    /// Whether the service lists it with the plan as part of a song, but names no such song in the plan.
    public var isContradiction: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ["Song", "Arrangement", "Key", "Item"].contains(owner)
    }

    public var attachment: AttachmentID
    public var filename: String
    /// The title of the item that it belongs to, if there is one.
    public var item: String
    public var reason: Reason

    /// Names a file that is not shown.
    public init(attachment: AttachmentID, filename: String, item: String, reason: Reason) {
        self.attachment = attachment
        self.filename = filename
        self.item = item
        self.reason = reason
    }
}
