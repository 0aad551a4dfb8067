import Glibc
import Model
import PagePNG
import TestSupport

/// Random sizes and pictures, and other helpers that the tests share.
enum Cases {
    /// The number of images that each test makes. `WOODSHED_TEST_IMAGES` sets another number.
    static let count = Asked.number("IMAGES", everyday: 40)
    /// The seeds of the images: `WOODSHED_TEST_SEED` or 1, and all after it. A failed test names its seed.
    static let seeds = (UInt64(Asked.number("SEED", everyday: 1)))...

    static let key = ImageKey(SHA256.digest(of: "a key"))
    static let bandHeights = [1, 2, 7, 32, 64, 128, 256, 5000]

    /// A random size, mostly small, sometimes long and thin.
    static func size(using numbers: inout SeededGenerator) -> (width: Int, height: Int) {
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0: (1, 1)
        case 1: (Int.random(in: 1000...3000, using: &numbers), Int.random(in: 1...8, using: &numbers))
        case 2: (Int.random(in: 1...8, using: &numbers), Int.random(in: 1000...3000, using: &numbers))
        case 3...9: (Int.random(in: 1...12, using: &numbers), Int.random(in: 1...12, using: &numbers))
        default: (Int.random(in: 1...150, using: &numbers), Int.random(in: 1...150, using: &numbers))
        }
    }

    static func picture(using numbers: inout SeededGenerator) -> Picture {
        let (width, height) = size(using: &numbers)
        let picture = Picture(width: width, height: height, isGray: Int.random(in: 0..<3, using: &numbers) > 0, using: &numbers)
        return picture.isGray && Bool.random(using: &numbers) ? picture.withSpotsOfColour(using: &numbers) : picture
    }

    /// Whether every checksum of a file is right.
    static func isWhole(_ png: [UInt8]) -> Bool {
        png.withUnsafeBytes { bytes in
            guard let image = BandedPNG(bytes) else { return false }
            let rows = PackedRows()
            rows.prepare(image.layout)
            return (0..<image.layout.bandCount).allSatisfy { image.isSound($0) && image.unpack($0, into: rows) }
        }
    }
}
