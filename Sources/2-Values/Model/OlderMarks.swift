/// An attachment with marks that were made on other bytes than it has now.
public struct OlderMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    /// The chart that it has.
    public let chart: ChartHash
    /// The chart that each of these layers was made on, or was last accepted on.
    public let layers: [LayerID: ChartHash]

    /// Makes a record.
    public init(attachment: AttachmentID, chart: ChartHash, layers: [LayerID: ChartHash]) {
        self.attachment = attachment
        self.chart = chart
        self.layers = layers
    }
}
