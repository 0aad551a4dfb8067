/// The chart that a file of marks is for.
public struct MarkFileMatch: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The bytes that it was marked on, where the file or what it names tells; `nil` for those that the chart has.
    public var markedOn: ChartHash?

    /// Makes a match.
    public init(_ attachment: AttachmentID, markedOn: ChartHash? = nil) {
        self.attachment = attachment
        self.markedOn = markedOn
    }
}
