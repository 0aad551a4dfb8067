/// Marks of a layer, or of one of the user's files, on pages that their chart does not have.
public struct MarksBeyond: Hashable, Sendable {
    public let attachment: AttachmentID
    /// The name of the chart.
    public let filename: String
    public let layer: LayerID
    /// The name of a layer of the service, and whose it is; empty for a file.
    public let name: String
    public let person: String
    /// The pages that the chart does not have.
    public let pages: [PageIndex]
    /// How many pages the chart has.
    public let chartPages: Int

    /// Names them.
    public init(
        attachment: AttachmentID, filename: String, layer: LayerID, name: String = "", person: String = "", pages: [PageIndex],
        chartPages: Int
    ) {
        self.attachment = attachment
        self.filename = filename
        self.layer = layer
        self.name = name
        self.person = person
        self.pages = pages
        self.chartPages = chartPages
    }

    /// The path, if it is one of the user's files.
    public var path: String? { LocalFile.path(ofLayer: layer) }
}
