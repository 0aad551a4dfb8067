public import Model

/// What is known of a chart once it was opened.
public struct ChartDescription: Hashable, Sendable, Codable {
    /// What each page measures as it is displayed; at least one.
    public var pages: [PageGeometry]
    /// The fonts that the chart names and does not bring along, sorted; `nil` where it has too many pages to look at all.
    public var fontsNotEmbedded: [String]?
    /// Whether there is an image in it, as in a scan. It may be one that no page shows.
    public var hasImages: Bool
    /// What the renderer complained about, a line each.
    public var warnings: [String]

    /// Makes a description.
    public init(pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false, warnings: [String] = []) {
        self.pages = pages
        self.fontsNotEmbedded = fontsNotEmbedded
        self.hasImages = hasImages
        self.warnings = warnings
    }

    /// Whether its pages look as the machine's fonts do.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }

    /// A chart of more pages is refused: nobody plays from it, and it may be made to keep us busy.
    public static let mostPages = 10_000
    /// More fonts of one chart are not told by name.
    public static let mostFonts = 100
    /// A font's name is cut to so many characters.
    public static let longestFontName = 100
    /// A page is told in less than 100 bytes; an escaped character takes 6 at most.
    package static let mostBytes = 100 * mostPages + 6 * mostFonts * longestFontName + 1000

    /// In points; more would be reckoned with in vain.
    private static func isLength(_ points: Double) -> Bool { points > 0 && points < 1e12 }

    /// Whether it can have been made by a renderer of ours.
    package var isSound: Bool {
        !pages.isEmpty && pages.count <= Self.mostPages && pages.allSatisfy { Self.isLength($0.width) && Self.isLength($0.height) }
            && (fontsNotEmbedded?.count ?? 0) <= Self.mostFonts
    }
}
