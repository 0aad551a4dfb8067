/// A former state of one of the user's mark files, kept because it had marks that were in none of the chart's files afterwards. The oldest
/// one also has older ones' marks that are nowhere else.
public struct FormerMarks: Hashable, Sendable {
    /// Identifies the state; newer states have higher numbers.
    public let number: Int
    public let path: String
    /// When it was noticed that marks had vanished.
    public let vanishedAt: Timestamp
    public let marks: Int
    /// How many of them are in none of the chart's files now.
    public let missing: Int
    /// Whether so many marks vanished at once, from it alone or from several files, that it may be a mistake.
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

/// How the former states of mark files that lost marks are kept.
public struct MarkHistory: Sendable {
    public static let states = 20
    public static let age: Duration = .seconds(365 * 86_400)
    /// A state that takes over other states' marks grows to no more bytes than this: many times what a musician draws on a chart.
    public static let joinedBytes = 16 << 20

    public let states: Int
    public let joinedBytes: Int
    /// The time at which states are found to be former ones.
    public let now: Timestamp

    public init(states: Int = MarkHistory.states, joinedBytes: Int = MarkHistory.joinedBytes, now: Timestamp) {
        (self.states, self.joinedBytes, self.now) = (states, joinedBytes, now)
    }
}

/// Mark files that are no longer tracked, because the user confirmed that they are gone for good.
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
    /// The charts that these files had marks on, by id.
    public let charts: [Chart]
    /// How many files are still there and stay as they are.
    public let kept: Int

    package init(count: Int, charts: [Chart], kept: Int) {
        (self.count, self.charts, self.kept) = (count, charts, kept)
    }
}

/// One of the user's files whose marks are drawn on a chart, though they may be meant for another one as well.
public struct MarksOnAnother: Hashable, Sendable {
    public let path: String
    /// The name of the chart that it is drawn on.
    public let filename: String
    public let attachment: AttachmentID
    /// The chart of a plan that it may be meant for.
    public let other: AttachmentID
    /// The name of that chart.
    public let otherName: String
    /// Whether a coming or pinned plan shows the chart that it is drawn on.
    public let isShown: Bool

    public init(path: String, filename: String, attachment: AttachmentID, other: AttachmentID, otherName: String, isShown: Bool) {
        (self.path, self.filename, self.attachment, self.other, self.isShown) = (path, filename, attachment, other, isShown)
        self.otherName = otherName
    }
}

/// Marks of a layer, or of one of the user's files, on pages that their chart does not have.
public struct MarksBeyond: Hashable, Sendable {
    public let attachment: AttachmentID
    public let filename: String
    public let layer: LayerID
    /// The name of a layer of the service, and its owner; empty for a file.
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

    /// The path, if it is one of the user's files.
    public var path: String? { LocalFile.path(ofLayer: layer) }
}

/// The pages on which a layer has marks that were made when the page looked different.
public struct OutdatedMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    /// The chart that the attachment has now.
    public let chart: ChartHash
    public let layer: LayerID
    /// The chart that the marks were made on, or last accepted on.
    public let former: ChartHash
    /// The pages, at least one, in order.
    public let pages: [PageIndex]

    public init(attachment: AttachmentID, chart: ChartHash, layer: LayerID, former: ChartHash, pages: [PageIndex]) {
        (self.attachment, self.chart, self.layer, self.former, self.pages) = (attachment, chart, layer, former, pages)
    }
}

/// An attachment with marks that were made on other bytes than it has now.
public struct OlderMarks: Hashable, Sendable {
    public let attachment: AttachmentID
    public let chart: ChartHash
    /// The chart that each of these layers was made on, or was last accepted on.
    public let layers: [LayerID: ChartHash]

    public init(attachment: AttachmentID, chart: ChartHash, layers: [LayerID: ChartHash]) {
        (self.attachment, self.chart, self.layers) = (attachment, chart, layers)
    }
}
