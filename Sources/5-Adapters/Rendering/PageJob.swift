public import Model

/// A job to draw one page, once, into as many images as are asked for.
public struct PageJob: Sendable {
    /// One image to write.
    public struct Output: Hashable, Sendable {
        public var variant: Variant
        public var key: ImageKey
        /// Where the PNG is written; stays open until the job is done. Its former content is replaced.
        public var descriptor: Int32

        /// Makes an output.
        public init(_ variant: Variant, key: ImageKey, descriptor: Int32) {
            self.variant = variant
            self.key = key
            self.descriptor = descriptor
        }
    }

    /// The path of the PDF.
    public var chart: String
    public var page: PageIndex
    public var settings: RenderSettings
    /// In the order of variants, each at most once.
    public let outputs: [Output]
    /// What is painted on the annotated image.
    public var marks: PageMarks?
    /// The fonts that the images' keys were made with; `nil` if none of the images shows text that would need one.
    public var fonts: FontSet?
    /// How long the job may take, if less than pages usually may.
    public var patience: Duration?

    /// Makes a job.
    public init(
        chart: String, page: PageIndex, settings: RenderSettings, outputs: [Output], marks: PageMarks? = nil, fonts: FontSet? = nil,
        patience: Duration? = nil
    ) {
        self.chart = chart
        self.page = page
        self.settings = settings
        self.outputs = outputs.sorted { $0.variant < $1.variant }
        self.marks = marks
        self.fonts = fonts
        self.patience = patience
        precondition(Set(outputs.map(\.variant)).count == outputs.count, "a variant is asked for twice")
    }
}

/// The result of drawing a page.
public struct PageOutcome: Hashable, Sendable {
    /// What the renderer complained about, one line each; the images are there all the same.
    public var warnings: [String]

    /// Makes an outcome.
    public init(warnings: [String] = []) {
        self.warnings = warnings
    }

    /// The warning that says that something is missing on the page, if there is one.
    public var lostContent: String? { PageDamage.lostContent(by: warnings) }
}
