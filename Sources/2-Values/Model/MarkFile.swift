/// The contents of one of the user's mark files.
public struct MarkFile: Hashable, Sendable {
    /// What the file says it was made on; any of it may be missing.
    public struct Reference: Hashable, Sendable {
        public var attachment: AttachmentID?
        /// The hash of the bytes that were marked on.
        public var chart: ChartHash?
        /// The first digits of that hash, in lower case, if the file has no more of it.
        public var chartBeginning: String?
        /// The path of the PDF as it is written in the file, relative or not.
        public var pdf: String?

        /// Takes what the file says.
        public init(attachment: AttachmentID? = nil, chart: ChartHash? = nil, chartBeginning: String? = nil, pdf: String? = nil) {
            self.attachment = attachment
            self.chart = chart
            self.chartBeginning = chartBeginning
            self.pdf = pdf
        }

        /// The first digits of a hash, at least eight, as the program itself prints them; `nil` if `text` is something else.
        public static func chartBeginning(_ text: String) -> String? {
            guard (8..<64).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
            return text.lowercased()
        }
    }

    /// The name of its layer; `nil` if the file gives it none.
    public var name: String?
    public var reference: Reference
    /// In drawing order, each with the page of the PDF that it is on. Marks without a time of their own take the file's.
    public var marks: [Mark]
    /// The sizes of the pages that the marks were made on, if the file gives them: on a page of another size, a point stays a point.
    public var sheets: [PageIndex: PageGeometry]
    /// How many of its pages are not on any page of the PDF.
    public var otherPages: Int
    /// What was not understood and left out, a sentence each.
    public var notes: [String]

    /// Takes the contents of a file.
    public init(
        name: String? = nil, reference: Reference = Reference(), marks: [Mark], sheets: [PageIndex: PageGeometry] = [:],
        otherPages: Int = 0,
        notes: [String] = []
    ) {
        self.name = name
        self.reference = reference
        self.marks = marks
        self.sheets = sheets
        self.otherPages = otherPages
        self.notes = notes
    }
}
