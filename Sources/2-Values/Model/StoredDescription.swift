/// What a renderer reported about a chart.
public struct StoredDescription: Hashable, Sendable {
    /// The size of each page as it is displayed.
    public var pages: [PageGeometry]
    /// The fonts that the chart uses but does not embed; `nil` if it has too many pages to examine them all.
    public var fontsNotEmbedded: [String]?
    /// Whether there is an image in it.
    public var hasImages: Bool

    /// Makes a description.
    public init(pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false) {
        self.pages = pages
        self.fontsNotEmbedded = fontsNotEmbedded
        self.hasImages = hasImages
    }

    /// Whether the look of its pages depends on the machine's fonts.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }
}
