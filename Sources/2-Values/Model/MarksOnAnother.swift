/// One of the user's files whose marks are drawn on a chart, though they may be meant for another one as well.
public struct MarksOnAnother: Hashable, Sendable {
    public let path: String
    /// The name of the chart that it is drawn on.
    public let filename: String
    public let attachment: AttachmentID
    /// The chart of a plan that it may be meant for.
    public let other: AttachmentID
    /// Whether a coming or pinned plan shows the chart that it is drawn on.
    public let isShown: Bool

    /// Names it.
    public init(path: String, filename: String, attachment: AttachmentID, other: AttachmentID, isShown: Bool) {
        self.path = path
        self.filename = filename
        self.attachment = attachment
        self.other = other
        self.isShown = isShown
    }
}
