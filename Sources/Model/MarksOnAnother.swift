/// What a file of the user's draws on a chart, though it may be meant for another one as well.
public struct MarksOnAnother: Hashable, Sendable {
    public let path: String
    /// What the chart is called that it is drawn on.
    public let filename: String
    public let attachment: AttachmentID
    /// The chart of a plan that it may be meant for.
    public let other: AttachmentID
    /// Whether a plan that is still to come or pinned shows the chart that it is drawn on.
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
