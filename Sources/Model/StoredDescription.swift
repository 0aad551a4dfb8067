/// What a renderer reported about a chart.
public struct StoredDescription: Hashable, Sendable {
    /// What each page measures as it is displayed.
    public var pages: [PageGeometry]
    /// The fonts that the chart names and does not bring along; `nil` where it has too many pages to look at all.
    public var fontsNotEmbedded: [String]?
    /// Whether there is an image in it.
    public var hasImages: Bool

    /// Makes a description.
    public init(pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false) {
        self.pages = pages
        self.fontsNotEmbedded = fontsNotEmbedded
        self.hasImages = hasImages
    }

    /// Whether its pages look as the machine's fonts do.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }
}
