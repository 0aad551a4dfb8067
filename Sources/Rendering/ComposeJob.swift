public import Model

/// One annotated image to make of the plain one that is there, without the PDF.
public struct ComposeJob: Sendable {
    /// An annotated image of the same page that is there.
    public struct Previous: Sendable {
        /// Its file, open for reading.
        public var descriptor: Int32
        /// What it shows.
        public var marks: PageMarks

        /// Names a predecessor.
        public init(descriptor: Int32, marks: PageMarks) {
            self.descriptor = descriptor
            self.marks = marks
        }
    }

    /// The plain image's file, open for reading.
    public var plain: Int32
    /// What only differs from it need not be painted again.
    public var previous: Previous?
    public var marks: PageMarks
    /// The paper that the plain image is drawn on.
    public var paper: Color
    /// The annotated image.
    public var output: PageJob.Output

    /// Makes a job.
    public init(plain: Int32, previous: Previous? = nil, marks: PageMarks, paper: Color = .white, output: PageJob.Output) {
        self.plain = plain
        self.previous = previous
        self.marks = marks
        self.paper = paper
        self.output = output
    }
}
