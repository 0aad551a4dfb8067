/// The name of a page image in the cache: its page and variant, and the key of its inputs.
///
/// Chart and key are shortened to 128 bits. This is enough to rule out equal names by accident, and keeps paths readable.
public struct ImageName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first 32 hexadecimal digits of the chart's hash, which are also the name of the folder that contains the chart's images.
    public var chart: String { chartDigest.hex }
    public let page: PageIndex
    public let variant: Variant
    /// The first 32 hexadecimal digits of the image's key.
    public var key: String { keyDigest.hex }
    // The digests are not stored as text, because tens of thousands of names are made, compared and sorted.
    private let chartDigest: ShortDigest
    private let keyDigest: ShortDigest

    /// Makes the name of the image with these inputs.
    public init(_ inputs: ImageInputs) {
        chartDigest = ShortDigest(inputs.chart.digest)
        page = inputs.page
        variant = inputs.variant
        keyDigest = ShortDigest(inputs.key.digest)
    }

    /// Reads a name from its folder and file. Fails for a file that is not from our cache.
    public init?(folder: String, file: String) {
        var file = file
        guard let name = file.withUTF8({ Self(folder: folder, file: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = name
    }

    /// Reads a name from its folder and the bytes of the file's name, which is faster than reading text. A listing may have
    /// a hundred thousand files.
    public init?(folder: String, file: UnsafeRawBufferPointer) {
        guard let chart = ShortDigest(hex: folder.utf8), file.suffix(Self.ending.count).elementsEqual(Self.ending) else { return nil }
        let rest = file.dropLast(Self.ending.count)
        guard let first = rest.firstIndex(of: Self.dash), let second = rest[(first + 1)...].firstIndex(of: Self.dash),
            let page = Self.number(rest[..<first]),
            let variant = Variant.allCases.first(where: { rest[(first + 1)..<second].elementsEqual($0.rawValue.utf8) }),
            let key = ShortDigest(hex: rest[(second + 1)...])
        else { return nil }
        chartDigest = chart
        self.page = PageIndex(page)
        self.variant = variant
        keyDigest = key
    }

    private static let ending: [UInt8] = Array(".png".utf8)
    private static let dash = UInt8(ascii: "-")

    /// Reads a number as `file` writes it, without a sign or leading zeros, so that no two file names mean the same image.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...9).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = 10 * number + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// The name of the folder that contains a chart's images.
    public static func folder(of chart: ChartHash) -> String { ShortDigest(chart.digest).hex }

    public var folder: ImageFolder { ImageFolder(chartDigest) }

    /// The page and variant of the image.
    public var slot: ImageSlot { ImageSlot(chart: chartDigest, page: page, variant: variant) }

    /// Whether both images are of the same chart. This is faster than comparing `chart`.
    public func sharesChart(with other: ImageName) -> Bool { chartDigest == other.chartDigest }

    public var file: String { "\(page.value)-\(variant.rawValue)-\(key).png" }

    public var description: String { "\(chart)/\(file)" }

    public static func < (left: ImageName, right: ImageName) -> Bool {
        (left.chartDigest, left.page, left.variant, left.keyDigest) < (right.chartDigest, right.page, right.variant, right.keyDigest)
    }

    public func hash(into hasher: inout Hasher) {
        // Hashing the key is enough, since it depends on all other parts.
        hasher.combine(keyDigest)
    }
}

/// A page and variant, regardless of the inputs that its image currently has.
public struct ImageSlot: Hashable, Sendable {
    let chart: ShortDigest
    let page: PageIndex
    let variant: Variant
}

/// The folder that contains a chart's images.
public struct ImageFolder: Hashable, Sendable, CustomStringConvertible {
    let digest: ShortDigest

    public var description: String { digest.hex }

    init(_ digest: ShortDigest) { self.digest = digest }

    public init(of chart: ChartHash) {
        digest = ShortDigest(chart.digest)
    }

    /// Reads a folder's name. Fails if the folder is not from our cache.
    public init?(_ name: String) {
        guard let digest = ShortDigest(hex: name.utf8) else { return nil }
        self.digest = digest
    }
}
