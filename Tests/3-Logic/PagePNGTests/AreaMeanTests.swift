import PagePNG
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AreaMeanTests {
    /// Compares with the definition, in whole numbers: a pixel is the mean of the area that it covers, rounded half up.
    @Test func everyPixelIsTheExactMeanOfItsArea() {
        let small = PackedRows()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let sides = (0..<2).map { _ in Int.random(in: 1...(seed % 5 == 0 ? 90 : 30), using: &numbers) }
            var picture = Picture(width: sides[0], height: sides[1], isGray: seed % 3 > 0, using: &numbers)
            if seed % 3 == 1 { picture = picture.withSpotsOfColour(using: &numbers) }
            let width = Int.random(in: 1...sides[0], using: &numbers)
            let height = Int.random(in: 1...sides[1], using: &numbers)
            let bandHeight = seed % 2 == 0 ? 64 : 5
            small.shrink(picture.packed(bandHeight: bandHeight), width: width, height: height)
            let (expected, note) = (Self.shrunk(picture, width, height), "seed \(seed): \(sides) to \(width)x\(height)")
            let layout = ImageLayout(width: width, height: height, isGray: picture.isGray, bandHeight: bandHeight)
            #expect(small.layout == layout, "\(note)")
            #expect(PNGImage(PNGWriter().image(of: small, key: Cases.key))?.pixels == expected, "\(note)")
        }
    }

    /// The largest possible sums: a white picture, shrunk to one pixel or hardly at all.
    @Test(arguments: [
        (20_000, 3, 1, 1), (3, 20_000, 1, 1), (3, 20_000, 3, 19_999), (20_000, 3, 19_999, 2), (2000, 3000, 1, 1), (3, 32_767, 2, 5),
    ])
    func whiteStaysWhite(width: Int, height: Int, targetWidth: Int, targetHeight: Int) {
        let rows = PackedRows()
        let white = [UInt32](repeating: 0xffffff, count: width * height)
        white.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: width, height: height) }
        let small = PackedRows()
        small.shrink(rows, width: targetWidth, height: targetHeight)
        let isWhite = words(of: small).allSatisfy { $0 & 0xff_ffff == 0xff_ffff }
        #expect(isWhite)
    }

    private func words(of rows: PackedRows) -> [UInt32] {
        guard let layout = rows.layout else { return [] }
        return [UInt32](unsafeUninitializedCapacity: layout.width * layout.height) { words, count in
            for band in 0..<layout.bandCount { rows.unpack(band: band, to: words.baseAddress!) }
            count = layout.width * layout.height
        }
    }

    private static func shrunk(_ picture: Picture, _ width: Int, _ height: Int) -> [UInt8] {
        let channels = picture.isGray ? 1 : 3
        // How much of each source line a target line covers, in fractions of 1 / `target`. A line is a row or a column.
        func weights(_ index: Int, _ source: Int, _ target: Int) -> [(Int, Int)] {
            (0..<source).map { ($0, min((index + 1) * source, ($0 + 1) * target) - max(index * source, $0 * target)) }.filter { $0.1 > 0 }
        }
        let area = picture.width * picture.height
        let columns = (0..<width).map { weights($0, picture.width, width) }
        return (0..<height).flatMap { y in
            let rows = weights(y, picture.height, height)
            return columns.flatMap { columns in
                (0..<channels).map { channel in
                    var sum = 0
                    for (row, down) in rows {
                        for (column, across) in columns {
                            sum += Int(picture.bytes[(row * picture.width + column) * channels + channel]) * down * across
                        }
                    }
                    return UInt8((sum + area / 2) / area)
                }
            }
        }
    }
}
