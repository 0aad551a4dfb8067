import Model
import PagePNG
import TestSupport

/// A small real image, which differs for each name.
struct Picture: Sendable {
    let name: ImageName
    private let key: ImageKey

    init(_ chart: Int, page: Int, variant: Variant) {
        let inputs = Samples.inputs("chart \(chart)", page: page, variant: variant)
        name = ImageName(inputs)
        key = inputs.key
    }

    /// The images of all pages of all charts, in every variant.
    static func all(charts: Int, pages: Int) -> [Picture] {
        (0..<charts).flatMap { chart in
            (0..<pages).flatMap { page in Variant.allCases.map { Picture(chart, page: page, variant: $0) } }
        }
    }

    private static let side = 40

    /// Every pixel's shade follows from the key.
    private var shades: [UInt8] {
        var generator = SeededGenerator(seed: UInt64(key.digest.shortHex.prefix(16), radix: 16) ?? 0)
        return (0..<Self.side * Self.side).map { _ in .random(in: 0...255, using: &generator) }
    }

    var bytes: [UInt8] {
        let rows = PackedRows()
        shades.map { UInt32($0) * 0x01_0101 }.withUnsafeBufferPointer {
            rows.pack($0.baseAddress!, width: Self.side, height: Self.side)
        }
        return PNGWriter().image(of: rows, key: key)
    }

    /// Whether an independent decoder finds this picture in the bytes, and our decoder finds them intact.
    func isShown(by bytes: [UInt8]) -> Bool {
        let isOurs = bytes.withUnsafeBytes { BandedPNG(whole: $0, unpackingInto: PackedRows())?.key == key }
        return isOurs && PNGImage(bytes)?.pixels == shades
    }
}
