public import Model

/// A job to draw one page, once, into as many images as are asked for.
public struct PageJob: Sendable {
    public struct Output: Hashable, Sendable {
        public var variant: Variant
        public var key: ImageKey
        /// Where the PNG is written; stays open until the job is done. Its former content is replaced.
        public var descriptor: Int32

        public init(_ variant: Variant, key: ImageKey, descriptor: Int32) {
            (self.variant, self.key, self.descriptor) = (variant, key, descriptor)
        }
    }

    public var chart: String
    public var page: PageIndex
    public var settings: RenderSettings
    /// In the order of variants, each at most once.
    public internal(set) var outputs: [Output]
    /// The marks painted on the annotated image.
    public var marks: PageMarks?
    /// The fonts that the images' keys were made with; `nil` if none of the images shows text that would need one.
    public var fonts: FontSet?
    /// How long the job may take, if less than pages usually may.
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
    /// The renderer's complaints, one line each; the images are there all the same.
    public var warnings: [String]

    public init(warnings: [String] = []) { self.warnings = warnings }

    /// The warning about something missing on the page, if there is one.
    public var lostContent: String? { PageDamage.lostContent(by: warnings) }
}

/// A job to make one annotated image from the plain one, without the PDF.
public struct ComposeJob: Sendable {
    /// An annotated image of the same page that already exists.
    public struct Previous: Sendable {
        /// Its file, open for reading.
        public var descriptor: Int32
        /// The beginning of its key, as in its name.
        public var key: String
        public var marks: PageMarks

        public init(descriptor: Int32, key: String, marks: PageMarks) { (self.descriptor, self.key, self.marks) = (descriptor, key, marks) }
    }

    /// The plain image's file, open for reading.
    public var plain: Int32
    /// The beginning of its key, as in its name.
    public var plainKey: String
    /// A former annotated image: only what differs from it has to be painted.
    public var previous: Previous?
    public var marks: PageMarks
    public var paper: Color
    public var output: PageJob.Output
    /// The fonts that its key was made with; `nil` if the marks show no text.
    public var fonts: FontSet?

    public init(
        plain: Int32, plainKey: String, previous: Previous? = nil, marks: PageMarks, paper: Color = .white, output: PageJob.Output,
        fonts: FontSet? = nil
    ) {
        (self.plain, self.plainKey, self.fonts, self.previous, self.marks, self.paper) = (plain, plainKey, fonts, previous, marks, paper)
        self.output = output
    }
}

/// The facts about a chart that has been opened.
public struct ChartDescription: Hashable, Sendable, Codable {
    /// The size of each page as it is displayed; at least one.
    public var pages: [PageGeometry]
    /// The fonts that the chart names but does not contain, sorted; `nil` if it has too many pages to look at all of them.
    public var fontsNotEmbedded: [String]?
    /// True if it contains an image, as a scan does. It may be one that no page shows.
    public var hasImages: Bool
    public var warnings: [String]
    /// How many pages the file claims to have, if that is another number.
    public var statedPages: Int?

    public init(
        pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false, warnings: [String] = [], statedPages: Int? = nil
    ) {
        (self.pages, self.fontsNotEmbedded, self.hasImages, self.warnings) = (pages, fontsNotEmbedded, hasImages, warnings)
        self.statedPages = statedPages
    }

    /// Why the file is incomplete by its own account; `nil` if it is not.
    public var missingPages: String? {
        statedPages.flatMap { $0 > pages.count ? PageDamage.pagesMissing(stated: $0, found: pages.count) : nil }
    }

    /// True if its pages depend on the machine's fonts.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }

    /// A chart with more pages is refused: it is not music to play from, and may be made to keep us busy.
    public static let mostPages = 10_000
    /// No more fonts of one chart than this are listed by name.
    public static let mostFonts = 100
    /// A font's name is cut to this many characters.
    public static let longestFontName = 100
    /// A page takes less than 100 bytes; an escaped character takes at most 6.
    package static let mostBytes = 100 * mostPages + 6 * mostFonts * longestFontName + 1000

    /// In points; there is no use in computing with more.
    private static func isLength(_ points: Double) -> Bool { points > 0 && points < 1e12 }

    /// True if one of our renderers can have made it.
    package var isSound: Bool {
        !pages.isEmpty && pages.count <= Self.mostPages && pages.allSatisfy { Self.isLength($0.width) && Self.isLength($0.height) }
            && (fontsNotEmbedded?.count ?? 0) <= Self.mostFonts
    }
}
