/// The pages on which a layer has marks that were made when the page looked different.
public struct OutdatedMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    /// The chart of the attachment that has them now.
    public let chart: ChartHash
    public let layer: LayerID
    /// The chart that the marks were made on, or last accepted on.
    public let former: ChartHash
    /// At least one, in order.
    public let pages: [PageIndex]

    /// Makes a record.
    public init(attachment: AttachmentID, chart: ChartHash, layer: LayerID, former: ChartHash, pages: [PageIndex]) {
        self.attachment = attachment
        self.chart = chart
        self.layer = layer
        self.former = former
        self.pages = pages
    }
}
