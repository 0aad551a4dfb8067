/// Mark files that are no longer tracked, because the user confirmed that they are gone for good.
public struct FilesLetGo: Hashable, Sendable {
    /// What they drew on one chart.
    public struct Chart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let filename: String
        public let marks: Int

        package init(attachment: AttachmentID, filename: String, marks: Int) {
            self.attachment = attachment
            self.filename = filename
            self.marks = marks
        }
    }

    /// How many files there were.
    public let count: Int
    /// The charts that these files had marks on, by id.
    public let charts: [Chart]
    /// How many files are still there and stay as they are.
    public let kept: Int
    /// How many are read as they are now, after they went back to an older state.
    public let older: Int

    package init(count: Int, charts: [Chart], kept: Int, older: Int = 0) {
        self.count = count
        self.charts = charts
        self.kept = kept
        self.older = older
    }
}
