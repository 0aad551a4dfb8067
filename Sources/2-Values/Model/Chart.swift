/// The hash of a chart's bytes, which identifies the chart.
public struct ChartHash: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The SHA-256 of the PDF.
    public let digest: Digest

    public init(_ digest: Digest) { self.digest = digest }

    public init(from decoder: any Decoder) throws { digest = try Digest(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try digest.encode(to: encoder) }

    /// The first 16 digits: enough to tell which of the charts that are here a mark was made on.
    public var beginning: String { String(digest.hex.prefix(16)) }

    /// Whether a text may be the beginning of a chart's hash.
    static func isBeginning(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    public var description: String { digest.hex }
    public static func < (left: ChartHash, right: ChartHash) -> Bool { left.digest < right.digest }
}

/// The chart that the library has for an attachment.
public struct StoredChart: Hashable, Sendable {
    public let hash: ChartHash
    public let size: Int
    /// The `Attachment.version` at the time of the download.
    public let version: String

    public init(hash: ChartHash, size: Int, version: String) { (self.hash, self.size, self.version) = (hash, size, version) }
}

/// A renderer's findings about a chart.
public struct StoredDescription: Hashable, Sendable {
    public var pages: [PageGeometry]
    /// The fonts that the chart uses but does not embed; `nil` if the chart has too many pages to examine all of them.
    public var fontsNotEmbedded: [String]?
    public var hasImages: Bool
    /// The links within the chart, and its outline; `nil` if they were not looked for.
    public var places: ChartPlaces?

    public init(pages: [PageGeometry], fontsNotEmbedded: [String]? = [], hasImages: Bool = false, places: ChartPlaces? = nil) {
        (self.pages, self.fontsNotEmbedded, self.hasImages, self.places) = (pages, fontsNotEmbedded, hasImages, places)
    }

    /// Whether the look of the pages depends on the machine's fonts, or may depend on them.
    public var needsFonts: Bool { fontsNotEmbedded?.isEmpty != true }
}

/// A chart whose pages have been counted, with everything that decides which images it has.
public struct CountedChart: Hashable, Sendable {
    public let hash: ChartHash
    /// Whether the file seems to be here, as far as can be judged without reading the file. Without the file, no image can be made.
    public let isHere: Bool
    public let pages: Int
    /// Whether the look of the pages depends on the machine's fonts, or may depend on them.
    public let needsFonts: Bool
    /// The key of the chords; `nil` if it is unknown or the chart is not drawn here.
    public let key: ChordKey?

    public init(hash: ChartHash, isHere: Bool = true, pages: Int, needsFonts: Bool, key: ChordKey? = nil) {
        (self.hash, self.isHere, self.pages, self.needsFonts, self.key) = (hash, isHere, pages, needsFonts, key)
    }
}

/// One value for each chart that is here, by the use for which the chart was downloaded.
///
/// If a use has no chart of its own yet, it gets the newest chart of its attachment in any key. On the stand, such a chart is better than
/// nothing, and its version shows that it is not the right one.
public struct ChartsByUse<Value: Sendable>: Sendable {
    private var own: [ChartUse: Value?] = [:]
    private var newest: [AttachmentID: Value?] = [:]

    public init() {}

    /// Adds a chart's value, or `nil` if it is not known yet. The charts of one attachment must be added newest first.
    package mutating func add(_ value: Value?, for use: ChartUse) {
        own.updateValue(value, forKey: use)
        if newest[use.attachment] == nil { newest.updateValue(value, forKey: use.attachment) }
    }

    public subscript(use: ChartUse) -> Value? { own[use] ?? newest[use.attachment] ?? nil }
}

/// Why a renderer could not open a chart.
public struct UnreadableChart: Hashable, Sendable {
    public let reason: String
    /// The renderer that failed. Another renderer may try again.
    public let tag: RendererTag

    public init(reason: String, tag: RendererTag) { (self.reason, self.tag) = (reason, tag) }
}

/// Why a version of a chart could not be downloaded.
public struct DownloadFault: Hashable, Sendable {
    /// The number of bytes that the service announced, and the number that arrived.
    public struct Sizes: Hashable, Sendable, LosslessStringConvertible {
        public let expected: Int
        public let found: Int

        public init(expected: Int, found: Int) { (self.expected, self.found) = (expected, found) }

        public init?(_ text: String) {
            let numbers = text.split(separator: ":").compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            (expected, found) = (numbers[0], numbers[1])
        }

        public var description: String { "\(expected):\(found)" }
    }

    public let version: String
    /// The reason, in words for people.
    public let reason: String
    /// The sizes, if they were the reason.
    public let sizes: Sizes?
    /// Since when all downloads of this version have failed without a change of `sizes`.
    public let since: Timestamp

    public init(version: String, reason: String, sizes: Sizes? = nil, since: Timestamp) {
        (self.version, self.reason, self.sizes, self.since) = (version, reason, sizes, since)
    }
}

extension [ChartUse: DownloadFault] {
    /// Why the service's present version could not be downloaded; `nil` if no such failure is recorded.
    public func reason(of attachment: Attachment) -> String? {
        self[attachment.use].flatMap { $0.version == attachment.version ? $0.reason : nil }
    }
}

/// A page that is drawn incompletely, because content is missing from the chart's file.
public struct LostContent: Hashable, Sendable {
    public let page: PageIndex
    public let reason: String
    /// Whether a person accepted the page as it is.
    public let isAccepted: Bool

    public init(page: PageIndex, reason: String, isAccepted: Bool) {
        (self.page, self.reason, self.isAccepted) = (page, reason, isAccepted)
    }

    /// Whether whole pages are missing from a chart with `count` pages, instead of content of one page. Missing pages are recorded
    /// under the page after the last one. `false` if `count` is unknown.
    public func isOfMissingPages(of count: Int?) -> Bool { count.map { page.value >= $0 } ?? false }
}

/// The problems of a chart that a person has accepted.
public struct AcceptedOfChart: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Marks that were made on an older version of the chart.
    public static let marks = AcceptedOfChart(rawValue: 1)
    /// Pages with content missing.
    public static let pages = AcceptedOfChart(rawValue: 2)
    /// A newer version that was refused. The next sync downloads it.
    public static let newerVersion = AcceptedOfChart(rawValue: 4)
    /// The loss of marks from mark files.
    public static let vanishedMarks = AcceptedOfChart(rawValue: 8)
    /// Marks of others that are older at the service than here. The next sync accepts the older ones.
    public static let olderMarks = AcceptedOfChart(rawValue: 16)
}

/// A page of a chart, counted from 0.
public struct PageIndex: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let value: Int

    /// The greatest index of a page that may be requested. It leaves room for calculations with later pages.
    public static let greatest = 999_999

    public init(_ value: Int) { self.value = value }

    /// The number for people, counted from 1. The greatest integer, which a mark may give as its page, stays as it is.
    public var number: Int { value == .max ? value : value + 1 }

    public var description: String { "page \(number)" }

    /// Several pages in words, as in `pages 1, 2 and 5`.
    public static func words(_ pages: [PageIndex]) -> String {
        let numbers = pages.map { "\($0.number)" }
        guard let last = numbers.last else { return "no page" }
        return numbers.count == 1 ? "page \(last)" : "pages \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }

    public static func < (left: PageIndex, right: PageIndex) -> Bool { left.value < right.value }

    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The size of a page as it is displayed, in points.
public struct PageGeometry: Hashable, Sendable, Codable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// The size in pixels of an image with `size` pixels on its long side. The other side has at least one pixel.
    public func pixels(longSide size: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        func scaled(_ side: Double) -> Int { side == long ? size : max(1, Int((side * Double(size) / long).rounded())) }
        return (scaled(width), scaled(height))
    }
}

/// A page of a chart, and the page with the same number in the chart that it replaced, to be compared with each other.
public struct PagePair: Hashable, Comparable, Sendable {
    public let former: ChartHash
    public let chart: ChartHash
    public let page: PageIndex

    public init(former: ChartHash, chart: ChartHash, page: PageIndex) { (self.former, self.chart, self.page) = (former, chart, page) }

    public static func < (left: PagePair, right: PagePair) -> Bool {
        (left.chart, left.former, left.page) < (right.chart, right.former, right.page)
    }
}
