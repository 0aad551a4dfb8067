public import Model
public import Platform

/// Makes PDFs of charts; tests use a simulated one.
@LoopActor
public protocol PDFMaker: AnyObject {
    /// Copies a chart's PDF and puts marks on its pages.
    func part(_ job: PartJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome

    /// Joins parts into one PDF.
    func bind(_ job: BindJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome
}

/// A job to copy a chart's PDF and put marks on its pages.
public struct PartJob: Sendable {
    /// How marks become part of a PDF.
    public enum MarkForm: String, Hashable, Sendable, Codable {
        /// The marks are painted on the pages.
        case painted
        /// The marks are added as annotations, which PDF readers can change.
        case annotations
    }

    public var chart: String
    /// The marks of all pages, in drawing order.
    public var marks: [Mark]
    public var form: MarkForm
    /// The long side in pixels of page images. The marks in the PDF look like the marks on such images.
    public var longSide: Int
    /// The file that the PDF is written to, and the position of the PDF's first byte in this file.
    public var output: Int32
    public var start: Int

    public init(chart: String, marks: [Mark] = [], form: MarkForm = .painted, longSide: Int, output: Int32, start: Int = 0) {
        (self.chart, self.marks, self.form, self.longSide, self.output, self.start) = (chart, marks, form, longSide, output, start)
    }
}

/// A job to join parts into one PDF.
public struct BindJob: Sendable {
    /// The file with all parts.
    public var parts: Int32
    public var contents: PDFContents
    public var output: Int32

    public init(parts: Int32, contents: PDFContents, output: Int32) { (self.parts, self.contents, self.output) = (parts, contents, output) }
}

/// The contents of a PDF that is joined from several.
public struct PDFContents: Hashable, Sendable, Codable {
    /// The bytes of one PDF within a file of several.
    public struct Part: Hashable, Sendable, Codable {
        public var start: Int
        public var count: Int

        public init(start: Int, count: Int) { (self.start, self.count) = (start, count) }
    }

    /// A bookmark and the pages of its part, if it has a part.
    public struct Entry: Hashable, Sendable, Codable {
        /// The depth of the bookmark; 0 is the outermost level.
        public var level: Int
        public var title: String
        public var part: Int?
        /// The numbers of the part's pages to include, in this order; `nil` for all pages in their own order.
        public var pages: [Int]?
        /// The bookmarks within the part, by the numbers of its pages.
        public var places: [Place]

        public init(level: Int, title: String, part: Int?, pages: [Int]? = nil, places: [Place] = []) {
            (self.level, self.title, self.part, self.pages, self.places) = (level, title, part, pages, places)
        }
    }

    /// A bookmark within a part; its level counts from the level below that of the part's own bookmark.
    public struct Place: Hashable, Sendable, Codable {
        public var level: Int
        public var title: String
        public var page: Int

        public init(level: Int, title: String, page: Int) { (self.level, self.title, self.page) = (level, title, page) }
    }

    public var title: String
    public var parts: [Part]
    public var entries: [Entry]

    public init(title: String, parts: [Part] = [], entries: [Entry] = []) {
        (self.title, self.parts, self.entries) = (title, parts, entries)
    }

    /// The most bookmarks within all parts together; further ones are left out.
    public static let mostPlaces = 5000
    /// The most bytes of the contents as JSON, far more than any plan needs.
    package static let mostBytes = 16 << 20
}

/// A PDF's annotations, converted to marks.
public struct ImportedMarks: Sendable {
    public var marks: [Mark]
    /// The number of annotations of each kind that cannot become marks; the `hidden` ones are counted together.
    public var leftOut: [String: Int]
    /// The name under which `leftOut` counts hidden annotations. No kind has this name: kinds begin with a capital, except `other`.
    public static let hidden = "hidden"

    /// The most bytes of encoded marks: more than `MarkCoding` needs for the most marks that a file of marks may have.
    package static let mostBytes = 24 << 20
}

/// The result of making a PDF.
public struct PDFOutcome: Hashable, Sendable {
    public var pages: Int
    public var bytes: Int
    /// Problems of the PDF, one line each; the PDF was made nevertheless.
    public var warnings: [String]
    /// The key that a song's chords are printed in; `nil` for other PDFs and if it is unknown.
    public var key: String?
    /// The facts that a song's text states; `nil` for other PDFs.
    public var song: SongFacts?

    public init(pages: Int, bytes: Int, warnings: [String] = [], key: String? = nil, song: SongFacts? = nil) {
        (self.pages, self.bytes, self.warnings, self.key, self.song) = (pages, bytes, warnings, key, song)
    }
}
