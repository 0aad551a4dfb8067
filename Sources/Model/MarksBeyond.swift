/// Marks of a layer, or of a file of the user's, on pages that their chart does not have.
public struct MarksBeyond: Hashable, Sendable {
    public let attachment: AttachmentID
    /// What the chart is called.
    public let filename: String
    public let layer: LayerID
    /// What a layer of the service is called, and whose it is; empty for a file.
    public let name: String
    public let person: String
    /// The pages that are not there.
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

    /// The file, where it is one of the user's.
    public var path: String? { LocalFile.path(ofLayer: layer) }
}
