/// The name of a page image in the cache: which page and variant it is, and the key that says what it was made from.
///
/// Chart and key are shortened to 128 bits, which rules out every accident and keeps paths readable.
public struct ImageName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits of the chart's hash; also the name of the folder that holds the chart's images.
    public let chart: String
    public let page: PageIndex
    public let variant: Variant
    /// 32 hexadecimal digits of the image's key.
    public let key: String

    /// The name that an image made from `inputs` has.
    public init(_ inputs: ImageInputs) {
        chart = inputs.chart.digest.shortHex
        page = inputs.page
        variant = inputs.variant
        key = inputs.key.digest.shortHex
    }

    /// Reads a name back from its folder and file; `nil` for a file that no cache of ours made.
    public init?(folder: String, file: String) {
        guard Self.isShortHex(folder), file.hasSuffix(".png") else { return nil }
        let parts = file.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let page = Int(parts[0]), page >= 0, String(page) == parts[0],
            let variant = Variant(rawValue: String(parts[1])), Self.isShortHex(parts[2])
        else { return nil }
        chart = folder
        self.page = PageIndex(page)
        self.variant = variant
        key = String(parts[2])
    }

    /// The file's name within the chart's folder.
    public var file: String { "\(page.value)-\(variant.rawValue)-\(key).png" }

    public var description: String { "\(chart)/\(file)" }

    public static func < (left: ImageName, right: ImageName) -> Bool {
        (left.chart, left.page, left.variant, left.key) < (right.chart, right.page, right.variant, right.key)
    }

    private static func isShortHex(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) || (UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0) }
    }
}
