public import Model

/// A job to make one annotated image from the plain one, without the PDF.
public struct ComposeJob: Sendable {
    /// An annotated image of the same page that already exists.
    public struct Previous: Sendable {
        /// Its file, open for reading.
        public var descriptor: Int32
        /// The beginning of its key, as in its name.
        public var key: String
        /// What it shows.
        public var marks: PageMarks

        /// Makes a predecessor.
        public init(descriptor: Int32, key: String, marks: PageMarks) {
            self.descriptor = descriptor
            self.key = key
            self.marks = marks
        }
    }

    /// The plain image's file, open for reading.
    public var plain: Int32
    /// The beginning of its key, as in its name.
    public var plainKey: String
    /// A former annotated image: only what differs from it has to be painted.
    public var previous: Previous?
    public var marks: PageMarks
    /// The paper colour of the plain image.
    public var paper: Color
    /// The annotated image to write.
    public var output: PageJob.Output
    /// The fonts that its key was made with; `nil` if the marks show no text.
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
