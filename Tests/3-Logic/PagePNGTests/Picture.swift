import Glibc
import PagePNG
import TestSupport

/// A random picture: its pixels as bytes in the order of PNG, and as 32-bit words.
struct Picture {
    let width: Int
    let height: Int
    private(set) var isGray: Bool
    /// One byte or three for each pixel, row by row.
    private(set) var bytes: [UInt8] = []
    /// 0xXXRRGGBB; the top byte is arbitrary.
    private(set) var words: [UInt32] = []

    enum Style: CaseIterable {
        case blots, gradient, noise, glyphs, constant, stripes
    }

    /// Makes a random picture. Tall ones repeat rows, so that they are made quickly.
    init(width: Int, height: Int, isGray: Bool, using numbers: inout SeededGenerator) {
        self.width = width
        self.height = height
        self.isGray = isGray
        let channels = isGray ? 1 : 3
        let distinct = max(1, min(height, 30_000 / width))
        let style = Style.allCases.randomElement(using: &numbers) ?? .noise
        let isMixed = Int.random(in: 0..<3, using: &numbers) == 0
        let seed = numbers.next()
        let drawn = (0..<distinct).map { y in
            let style = isMixed ? Style.allCases.randomElement(using: &numbers) ?? style : style
            return Self.row(style, y, width * channels, seed, using: &numbers)
        }
        let asWords = drawn.map { row in
            (0..<width).map { x in
                let place = x * channels
                let word = (0..<3).reduce(UInt32(x & 255)) { $0 << 8 | UInt32(row[isGray ? place : place + $1]) }
                return word
            }
        }
        bytes.reserveCapacity(width * height * channels)
        words.reserveCapacity(width * height)
        for y in 0..<height {
            let row = y < distinct ? y : Int.random(in: 0..<distinct, using: &numbers)
            bytes += drawn[row]
            words += asWords[row]
        }
    }

    /// This gray picture as a coloured one: some pixels of some rows have colour, like chord letters and highlights.
    func withSpotsOfColour(using numbers: inout SeededGenerator) -> Picture {
        precondition(isGray, "a gray picture")
        var picture = self
        picture.isGray = false
        picture.bytes = bytes.flatMap { [$0, $0, $0] }
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            let y = Int.random(in: 0..<height, using: &numbers)
            let start = Int.random(in: 0..<width, using: &numbers)
            for x in start..<min(width, start + Int.random(in: 1...40, using: &numbers)) {
                let place = (y * width + x) * 3 + Int.random(in: 0..<3, using: &numbers)
                picture.bytes[place] ^= UInt8.random(in: 1...255, using: &numbers)
            }
        }
        for place in words.indices {
            let (red, green, blue) = (picture.bytes[3 * place], picture.bytes[3 * place + 1], picture.bytes[3 * place + 2])
            picture.words[place] = words[place] & 0xff00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        }
        return picture
    }

    private static func row(_ style: Style, _ y: Int, _ count: Int, _ seed: UInt64, using numbers: inout SeededGenerator) -> [UInt8] {
        // These random numbers are the same for all rows of a picture.
        var shared = SeededGenerator(seed: seed)
        var row = [UInt8](repeating: 255, count: count)
        switch style {
        case .blots:
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                let start = Int.random(in: 0..<count, using: &numbers)
                let end = min(count, start + Int.random(in: 1...300, using: &numbers))
                for x in start..<end { row[x] = UInt8(truncatingIfNeeded: x * x) }
            }
        case .gradient:
            let step = Int.random(in: 1...9, using: &shared)
            for x in 0..<count { row[x] = UInt8(truncatingIfNeeded: (x * step + y * 3) / 4) }
        case .noise:
            let mask = UInt8(truncatingIfNeeded: shared.next()) | 1
            for x in 0..<count { row[x] = UInt8(truncatingIfNeeded: numbers.next()) & mask }
        case .glyphs:
            let glyphs = (0..<5).map { _ in
                (0..<Int.random(in: 3...40, using: &shared)).map { _ in UInt8.random(in: 0...255, using: &shared) }
            }
            var x = 0
            while x < count {
                let glyph = glyphs.randomElement(using: &numbers) ?? []
                for byte in glyph.prefix(count - x) {
                    row[x] = byte
                    x += 1
                }
                x += Int.random(in: 0...30, using: &numbers)
            }
        case .constant:
            let byte = UInt8.random(in: 0...255, using: &shared)
            for x in 0..<count { row[x] = byte }
        case .stripes:
            let period = Int.random(in: 1...50, using: &shared)
            for x in 0..<count where (x + y) / period % 2 == 0 { row[x] = 0 }
        }
        return row
    }

    /// The packed rows, in a layout of the picture's own colours.
    func packed(bandHeight: Int) -> PackedRows {
        let rows = PackedRows()
        rows.prepare(ImageLayout(width: width, height: height, isGray: isGray, bandHeight: bandHeight))
        let bands = (height + bandHeight - 1) / bandHeight
        let isPacked = words.withUnsafeBufferPointer { words in (0..<bands).allSatisfy { rows.pack(words.baseAddress!, band: $0) } }
        precondition(isPacked, "the layout has the picture's colours")
        return rows
    }

    /// Whether a band has exactly this picture's pixels.
    func isShown(in rows: PackedRows, band: Int) -> Bool {
        guard let range = rows.layout?.rows(ofBand: band) else { return false }
        var shown = [UInt32](repeating: 0, count: height * width)
        shown.withUnsafeMutableBufferPointer { rows.unpack(band: band, to: $0.baseAddress!) }
        return ((range.lowerBound * width)..<(range.upperBound * width)).allSatisfy { shown[$0] == words[$0] & 0xff_ffff }
    }
}
