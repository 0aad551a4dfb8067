/// The name of a page image in the cache: which page and variant it is, and the key that says what it was made from.
///
/// Chart and key are shortened to 128 bits, which rules out every accident and keeps paths readable.
public struct ImageName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits of the chart's hash; also the name of the folder that holds the chart's images.
    public var chart: String { chartDigest.hex }
    public let page: PageIndex
    public let variant: Variant
    /// 32 hexadecimal digits of the image's key.
    public var key: String { keyDigest.hex }
    // Not as text: tens of thousands of names are made, compared and sorted at a time.
    private let chartDigest: ShortDigest
    private let keyDigest: ShortDigest

    /// The name that an image made from `inputs` has.
    public init(_ inputs: ImageInputs) {
        chartDigest = ShortDigest(inputs.chart.digest)
        page = inputs.page
        variant = inputs.variant
        keyDigest = ShortDigest(inputs.key.digest)
    }

    /// Reads a name back from its folder and file; `nil` for a file that no cache of ours made.
    public init?(folder: String, file: String) {
        guard let chart = ShortDigest(hex: folder), file.hasSuffix(".png") else { return nil }
        let parts = file.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let page = Int(parts[0]), page >= 0, String(page) == parts[0],
            let variant = Variant(rawValue: String(parts[1])), let key = ShortDigest(hex: parts[2])
        else { return nil }
        chartDigest = chart
        self.page = PageIndex(page)
        self.variant = variant
        keyDigest = key
    }

    /// The file's name within the chart's folder.
    public var file: String { "\(page.value)-\(variant.rawValue)-\(key).png" }

    public var description: String { "\(chart)/\(file)" }

    public static func < (left: ImageName, right: ImageName) -> Bool {
        (left.chartDigest, left.page, left.variant, left.keyDigest) < (right.chartDigest, right.page, right.variant, right.keyDigest)
    }

    public func hash(into hasher: inout Hasher) {
        // The key follows from all the rest.
        hasher.combine(keyDigest)
    }
}
