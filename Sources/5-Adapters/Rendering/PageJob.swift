public import Model

/// A job to draw one page once, and to write it as one or more images.
public struct PageJob: Sendable {
    public struct Output: Hashable, Sendable {
        public var variant: Variant
        public var key: ImageKey
        /// The file whose content the PNG replaces. It must stay open until the job is done.
        public var descriptor: Int32

        public init(_ variant: Variant, key: ImageKey, descriptor: Int32) {
            (self.variant, self.key, self.descriptor) = (variant, key, descriptor)
        }
    }

    public var chart: String
    public var page: PageIndex
    public var settings: RenderSettings
    /// Sorted by variant; each variant occurs at most once.
    public internal(set) var outputs: [Output]
    /// The marks painted on the annotated image.
    public var marks: PageMarks?
    /// The fonts that the images' keys were made with; `nil` if no image shows text that depends on fonts.
    public var fonts: FontSet?
    /// The longest time that the job may take; `nil` if the same limit as for other pages holds.
    public var patience: Duration?

    public init(
        chart: String, page: PageIndex, settings: RenderSettings, outputs: [Output], marks: PageMarks? = nil, fonts: FontSet? = nil,
        patience: Duration? = nil
    ) {
        (self.chart, self.page, self.settings) = (chart, page, settings)
        self.outputs = outputs.sorted { $0.variant < $1.variant }
        self.marks = marks
        self.fonts = fonts
        self.patience = patience
        precondition(Set(outputs.map(\.variant)).count == outputs.count, "a variant is asked for twice")
    }
}

public struct PageOutcome: Hashable, Sendable {
    /// The renderer's warnings, one line each; the images were written nevertheless.
    public var warnings: [String]

    public init(warnings: [String] = []) { self.warnings = warnings }

    /// The warning that part of the page is missing from the images; `nil` if there is none.
    public var lostContent: String? { PageDamage.lostContent(by: warnings) }
}

/// A job to make one annotated image from the plain one, without the PDF.
public struct ComposeJob: Sendable {
    /// An existing annotated image of the same page, with the marks on it.
    public struct Previous: Sendable {
        /// The image's file, open for reading.
        public var descriptor: Int32
        /// The beginning of the image's key, as in its file name.
        public var key: String
        public var marks: PageMarks

        public init(descriptor: Int32, key: String, marks: PageMarks) { (self.descriptor, self.key, self.marks) = (descriptor, key, marks) }
    }

    /// The plain image's file, open for reading.
    public var plain: Int32
    /// The beginning of the plain image's key, as in its file name.
    public var plainKey: String
    /// A former annotated image. With it, only the differences from its marks have to be painted.
    public var previous: Previous?
    public var marks: PageMarks
    public var paper: Color
    public var output: PageJob.Output
    /// The fonts that the output's key was made with; `nil` if the marks show no text.
    public var fonts: FontSet?

    public init(
        plain: Int32, plainKey: String, previous: Previous? = nil, marks: PageMarks, paper: Color = .white, output: PageJob.Output,
        fonts: FontSet? = nil
    ) {
        (self.plain, self.plainKey, self.fonts, self.previous, self.marks, self.paper) = (plain, plainKey, fonts, previous, marks, paper)
        self.output = output
    }
}

/// The properties of a chart that has been opened.
public struct ChartDescription: Hashable, Sendable, Codable {
    /// The size of each page as it is displayed. A chart has at least one page.
    public var pages: [PageGeometry]
    /// The fonts that the chart names but does not contain, sorted, at most `mostFonts`; `nil` if it has too many pages to check
    /// all of them.
    public var fontsNotEmbedded: [String]?
    /// True if the file contains an image, as a scan does. Perhaps no page shows this image.
    public var hasImages: Bool
    public var warnings: [String]
    /// The number of pages that the file claims to have, if that number is wrong.
    public var statedPages: Int?
    /// The links within the chart, and its outline; `nil` if it has neither.
    public var places: ChartPlaces?

    public init(
        pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false, warnings: [String] = [],
        statedPages: Int? = nil, places: ChartPlaces? = nil
    ) {
        (self.pages, self.fontsNotEmbedded, self.hasImages, self.warnings) = (pages, fontsNotEmbedded, hasImages, warnings)
        (self.statedPages, self.places) = (statedPages, places)
    }

    /// Why the file is incomplete; `nil` unless it claims more pages than it has.
    public var missingPages: String? {
        statedPages.flatMap { $0 > pages.count ? PageDamage.pagesMissing(stated: $0, found: pages.count) : nil }
    }

    /// True if the pages depend on the machine's fonts, or may depend on them.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }

    /// The most pages of a chart. A PDF with more is refused: it is not music to play from, and may have been made to overload the
    /// renderer.
    public static let mostPages = 10_000
    /// The most fonts of one chart that are listed by name.
    public static let mostFonts = 100
    /// A font's name is cut to this many characters.
    public static let longestFontName = 100
    /// The most bytes of a description as JSON: a page takes less than 100, an escaped character of a name or title at most 6, and
    /// a place less than 500.
    package static let mostBytes =
        100 * mostPages + 6 * mostFonts * longestFontName + (6 * ChartPlaces.longestTitle + 500) * ChartPlaces.mostEntries
        + 1000 * ChartPlaces.mostJumps

    /// Returns whether a length in points is possible.
    private static func isLength(_ points: Double) -> Bool { points > 0 && points < 1e12 }

    /// True if one of our renderers could have made this description.
    package var isSound: Bool {
        !pages.isEmpty && pages.count <= Self.mostPages && pages.allSatisfy { Self.isLength($0.width) && Self.isLength($0.height) }
            && (fontsNotEmbedded?.count ?? 0) <= Self.mostFonts
    }
}
