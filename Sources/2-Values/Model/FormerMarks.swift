/// A former state of one of the user's mark files. It is kept because it had marks that none of the chart's files had afterwards.
/// The oldest kept state also has those marks of still older states that are nowhere else.
public struct FormerMarks: Hashable, Sendable {
    /// Identifies the state; newer states have higher numbers.
    public let number: Int
    public let path: String
    /// When the loss of marks was detected.
    public let vanishedAt: Timestamp
    public let marks: Int
    /// How many of these marks are in none of the chart's files now.
    public let missing: Int
    /// Whether so many marks disappeared at the same time, from this file or from several, that it may be a mistake.
    public var isOfMany = false

    public init(number: Int, path: String, vanishedAt: Timestamp, marks: Int, missing: Int) {
        (self.number, self.path, self.vanishedAt, self.marks, self.missing) = (number, path, vanishedAt, marks, missing)
    }

    /// The file's name without its folder.
    public var filename: String { Self.filename(ofFile: path) }

    static func filename(ofFile path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }
}

/// The limits for keeping former states of mark files that lost marks.
public struct MarkHistory: Sendable {
    public static let states = 20
    public static let age: Duration = .seconds(365 * 86_400)
    /// The most bytes of a state that takes over the marks of dropped states: many times what a musician draws on a chart.
    public static let joinedBytes = 16 << 20

    public let states: Int
    public let joinedBytes: Int
    /// The time at which the loss of marks is detected.
    public let now: Timestamp

    public init(states: Int = MarkHistory.states, joinedBytes: Int = MarkHistory.joinedBytes, now: Timestamp) {
        (self.states, self.joinedBytes, self.now) = (states, joinedBytes, now)
    }
}

/// Mark files that are no longer tracked, because the user confirmed that they are permanently gone.
public struct FilesLetGo: Hashable, Sendable {
    /// The marks of these files on one chart.
    public struct Chart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let filename: String
        public let marks: Int

        package init(attachment: AttachmentID, filename: String, marks: Int) {
            (self.attachment, self.filename, self.marks) = (attachment, filename, marks)
        }
    }

    public let count: Int
    /// The charts that the files had marks on, sorted by id.
    public let charts: [Chart]
    /// How many files still exist, and therefore stay tracked.
    public let kept: Int

    package init(count: Int, charts: [Chart], kept: Int) {
        (self.count, self.charts, self.kept) = (count, charts, kept)
    }
}

/// One of the user's files whose marks are drawn on one chart, although they may be meant for another.
public struct MarksOnAnother: Hashable, Sendable {
    public let path: String
    /// The name of the chart that the marks are drawn on.
    public let filename: String
    public let attachment: AttachmentID
    /// The chart of a plan that the marks may be meant for.
    public let other: AttachmentID
    /// The name of `other`.
    public let otherName: String
    /// Whether a coming or pinned plan shows the chart that the marks are drawn on.
    public let isShown: Bool

    public init(path: String, filename: String, attachment: AttachmentID, other: AttachmentID, otherName: String, isShown: Bool) {
        (self.path, self.filename, self.attachment, self.other, self.isShown) = (path, filename, attachment, other, isShown)
        self.otherName = otherName
    }
}

/// Marks of a layer, or of one of the user's files, on pages that the chart does not have.
public struct MarksBeyond: Hashable, Sendable {
    public let attachment: AttachmentID
    public let filename: String
    public let layer: LayerID
    /// The name of a layer of the service and, below, the name of its owner. Both are empty for a file.
    public let name: String
    public let person: String
    public let pages: [PageIndex]
    public let chartPages: Int

    public init(
        attachment: AttachmentID, filename: String, layer: LayerID, name: String = "", person: String = "", pages: [PageIndex],
        chartPages: Int
    ) {
        (self.attachment, self.filename, self.layer, self.name) = (attachment, filename, layer, name)
        (self.person, self.pages, self.chartPages) = (person, pages, chartPages)
    }

    /// The file's path; `nil` for a layer of the service.
    public var path: String? { LocalFile.path(ofLayer: layer) }
}

/// The pages of a chart that looked different when a layer's marks on them were made.
public struct OutdatedMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    /// The attachment's present chart.
    public let chart: ChartHash
    public let layer: LayerID
    /// The chart on which the marks were made or last accepted; `nil` if it was never here.
    public let former: ChartHash?
    /// The pages in order, at least one.
    public let pages: [PageIndex]
    /// Whether the marks are drawn on these pages. If the layer's other marks followed the music, they are not: they only may belong there.
    public let areDrawn: Bool

    public init(
        attachment: AttachmentID, chart: ChartHash, layer: LayerID, former: ChartHash?, pages: [PageIndex], areDrawn: Bool = true
    ) {
        (self.attachment, self.chart, self.layer, self.former, self.pages) = (attachment, chart, layer, former, pages)
        self.areDrawn = areDrawn
    }
}

/// An attachment with marks that were made on another PDF than its present one.
public struct OlderMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    public let chart: ChartHash
    /// The chart on which each layer was made or last accepted.
    public let layers: [LayerID: ChartHash]

    public init(attachment: AttachmentID, chart: ChartHash, layers: [LayerID: ChartHash]) {
        (self.attachment, self.chart, self.layers) = (attachment, chart, layers)
    }
}
