/// A file at the service that is not shown, and why.
public struct LeftOut: Hashable, Sendable, Codable {
    /// Why a file is not shown.
    public enum Reason: Hashable, Sendable, Codable {
        /// It is a recording, a link, a text document: nothing with pages.
        case notAPDF
        /// The configuration leaves it out, by this rule.
        case notChosen(rule: String)
        /// The service does not let us have it.
        case noPermission
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
