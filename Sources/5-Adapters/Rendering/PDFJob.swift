public import Model
public import Platform

/// Makes PDFs of charts; a simulated one replaces it in tests.
@LoopActor
public protocol PDFMaker: AnyObject {
    /// Copies a chart's PDF, with marks over its pages.
    func part(_ job: PartJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome

    /// Makes one PDF of parts.
    func bind(_ job: BindJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome
}

/// A job to copy a chart's PDF, with marks over its pages.
public struct PartJob: Sendable {
    /// How marks become part of a PDF.
    public enum MarkForm: String, Hashable, Sendable, Codable {
        /// Painted on the pages.
        case painted
        /// As annotations, which readers of PDFs can change.
        case annotations
    }

    public var chart: String
    /// In drawing order, of all its pages.
    public var marks: [Mark]
    public var form: MarkForm
    /// Pixels on the long side of the images whose marks these are to resemble.
    public var longSide: Int
    /// Where the PDF is written, and from which byte on.
    public var output: Int32
    public var start: Int

    public init(chart: String, marks: [Mark] = [], form: MarkForm = .painted, longSide: Int, output: Int32, start: Int = 0) {
        (self.chart, self.marks, self.form, self.longSide, self.output, self.start) = (chart, marks, form, longSide, output, start)
    }
}

/// A job to make one PDF of parts.
public struct BindJob: Sendable {
    /// The file with all parts.
    public var parts: Int32
    public var contents: PDFContents
    public var output: Int32

    public init(parts: Int32, contents: PDFContents, output: Int32) { (self.parts, self.contents, self.output) = (parts, contents, output) }
}

/// The contents of a PDF that is made of several.
public struct PDFContents: Hashable, Sendable, Codable {
    /// A PDF within a file of several.
    public struct Part: Hashable, Sendable, Codable {
        public var start: Int
        public var count: Int

        public init(start: Int, count: Int) { (self.start, self.count) = (start, count) }
    }

    /// A bookmark, and the part whose pages follow it, if it has one of its own.
    public struct Entry: Hashable, Sendable, Codable {
        /// 0 at the left margin.
        public var level: Int
        public var title: String
        public var part: Int?
        /// Which of the part's pages follow, in this order; `nil` for all of them in theirs.
        public var pages: [Int]?

        public init(level: Int, title: String, part: Int?, pages: [Int]? = nil) {
            (self.level, self.title, self.part, self.pages) = (level, title, part, pages)
        }
    }

    public var title: String
    public var parts: [Part]
    public var entries: [Entry]

    public init(title: String, parts: [Part] = [], entries: [Entry] = []) {
        (self.title, self.parts, self.entries) = (title, parts, entries)
    }

    /// Far more than any plan needs.
    package static let mostBytes = 4 << 20
}

/// What a PDF's annotations are as marks.
public struct ImportedMarks: Sendable {
    public var marks: [Mark]
    /// How many annotations of which kinds cannot become marks; and how many others are `hidden`.
    public var leftOut: [String: Int]
    /// No kind of annotation has this name: theirs begin with a capital, except `other`.
    public static let hidden = "hidden"

    /// More than `MarkCoding` takes for as many marks as a file of marks may have.
    package static let mostBytes = 24 << 20
}

/// A PDF that was made.
public struct PDFOutcome: Hashable, Sendable {
    public var pages: Int
    public var bytes: Int
    /// What is wrong with the PDF, one line each; it is there all the same.
    public var warnings: [String]
    /// The key of a song's chords, as it is printed.
    public var key: String?

    public init(pages: Int, bytes: Int, warnings: [String] = [], key: String? = nil) {
        (self.pages, self.bytes, self.warnings, self.key) = (pages, bytes, warnings, key)
    }
}
