/// The chart that a mark file is for.
public struct MarkFileMatch: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The bytes that it was marked on, if the file or what it names tells; `nil` for the ones that the chart has.
    public var markedOn: ChartHash?

    /// Makes a match.
    public init(_ attachment: AttachmentID, markedOn: ChartHash? = nil) {
        self.attachment = attachment
        self.markedOn = markedOn
    }
}
