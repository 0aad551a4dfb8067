public import Model

/// What is known of a chart once it has been opened.
public struct ChartDescription: Hashable, Sendable, Codable {
    /// The size of each page as it is displayed; at least one.
    public var pages: [PageGeometry]
    /// The fonts that the chart names but does not contain, sorted; `nil` if it has too many pages to look at all of them.
    public var fontsNotEmbedded: [String]?
    /// Whether it contains an image, as a scan does. It may be one that no page shows.
    public var hasImages: Bool
    /// What the renderer complained about, one line each.
    public var warnings: [String]
    /// How many pages the file says that it has, if that is another number.
    public var statedPages: Int?

    /// Makes a description.
    public init(
        pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false, warnings: [String] = [], statedPages: Int? = nil
    ) {
        self.pages = pages
        self.fontsNotEmbedded = fontsNotEmbedded
        self.hasImages = hasImages
        self.warnings = warnings
        self.statedPages = statedPages
    }

    /// Why the file is incomplete by its own account; `nil` if it is not.
    public var missingPages: String? {
        statedPages.flatMap { $0 > pages.count ? PageDamage.pagesMissing(stated: $0, found: pages.count) : nil }
    }

    /// Whether its pages depend on the machine's fonts.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }

    /// A chart with more pages is refused: nobody plays from it, and it may be made to keep us busy.
    public static let mostPages = 10_000
    /// No more fonts of one chart than this are listed by name.
    public static let mostFonts = 100
    /// A font's name is cut to this many characters.
    public static let longestFontName = 100
    /// A page takes less than 100 bytes; an escaped character takes at most 6.
    package static let mostBytes = 100 * mostPages + 6 * mostFonts * longestFontName + 1000

    /// In points; there is no use in computing with more.
    private static func isLength(_ points: Double) -> Bool { points > 0 && points < 1e12 }

    /// Whether one of our renderers can have made it.
    package var isSound: Bool {
        !pages.isEmpty && pages.count <= Self.mostPages && pages.allSatisfy { Self.isLength($0.width) && Self.isLength($0.height) }
            && (fontsNotEmbedded?.count ?? 0) <= Self.mostFonts
    }
}
