public import Model

/// The pages on which a layer has marks that were made when the page looked different.
public struct OutdatedMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    public let layer: LayerID
    /// The chart that the marks were made on, or last accepted on.
    public let former: ChartHash
    /// At least one, in order.
    public let pages: [PageIndex]

    /// Makes a record.
    public init(attachment: AttachmentID, layer: LayerID, former: ChartHash, pages: [PageIndex]) {
        self.attachment = attachment
        self.layer = layer
        self.former = former
        self.pages = pages
    }
}
