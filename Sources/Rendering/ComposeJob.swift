public import Model

/// One annotated image to make of the plain one that is there, without the PDF.
public struct ComposeJob: Sendable {
    /// An annotated image of the same page that is there.
    public struct Previous: Sendable {
        /// Its file, open for reading.
        public var descriptor: Int32
        /// The beginning of its key, as its name has it.
        public var key: String
        /// What it shows.
        public var marks: PageMarks

        /// Names a predecessor.
        public init(descriptor: Int32, key: String, marks: PageMarks) {
            self.descriptor = descriptor
            self.key = key
            self.marks = marks
        }
    }

    /// The plain image's file, open for reading.
    public var plain: Int32
    /// The beginning of its key, as its name has it.
    public var plainKey: String
    /// What only differs from it need not be painted again.
    public var previous: Previous?
    public var marks: PageMarks
    /// The paper that the plain image is drawn on.
    public var paper: Color
    /// The annotated image.
    public var output: PageJob.Output
    /// The fonts that its key was made with; `nil` where the marks show no text.
    public var fonts: FontSet?

    /// Makes a job.
    public init(
        plain: Int32, plainKey: String, previous: Previous? = nil, marks: PageMarks, paper: Color = .white, output: PageJob.Output,
        fonts: FontSet? = nil
    ) {
        self.plain = plain
        self.plainKey = plainKey
        self.fonts = fonts
        self.previous = previous
        self.marks = marks
        self.paper = paper
        self.output = output
    }
}
