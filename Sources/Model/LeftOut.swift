/// A file at the service that is not shown, and why.
public struct LeftOut: Hashable, Sendable, Codable {
    /// Why a file is not shown.
    public enum Reason: Hashable, Sendable, Codable {
        /// It is a recording, a link, a text document: nothing with pages.
        case notAPDF
        /// The configuration leaves it out, by this rule.
        case notChosen(rule: String)
        /// Nothing in the running order has it: it hangs on something else, of this kind in the service's word.
        case ofNoItem(owner: String)
        /// The service does not let us have it.
        case noPermission
    }

    /// Whether somebody chose that it is not shown.
    public var isByChoice: Bool {
        if case .notChosen = reason { true } else { false }
    }

    /// Whether the service names it with the plan as a part of a song, and then names no such song.
    public var isContradiction: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ["Song", "Arrangement", "Key", "Item"].contains(owner)
    }

    public var attachment: AttachmentID
    public var filename: String
    /// The item that it hangs on, if it hangs on one.
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
