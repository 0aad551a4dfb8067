import TestSupport
import Testing

@testable import PageRaster

/// Our decoder and poppler's make exactly the same pixels from CCITT fax data, whole or damaged.
@Suite(.timeLimit(.minutes(5)))
struct FaxTests {
    /// A random image in a random form of fax data.
    private struct Sample {
        var form = FaxEncoder.Form()
        var width = 0
        var rows: [[Int]] = []
        var page: ScanPage

        init(using numbers: inout SeededGenerator) {
            form.k = Int.random(in: -1...2, using: &numbers) * Int.random(in: 1...3, using: &numbers)
            form.endOfLine = form.k >= 0 && Bool.random(using: &numbers)
            form.byteAlign = Int.random(in: 0..<4, using: &numbers) == 0
            form.endOfBlock = Int.random(in: 0..<4, using: &numbers) > 0
            width = Int.random(in: 1...(Int.random(in: 0..<8, using: &numbers) == 0 ? 6000 : 200), using: &numbers)
            let height = Int.random(in: 1...24, using: &numbers)
            for _ in 0..<height { rows.append(Self.row(after: rows.last ?? [], width: width, using: &numbers)) }
            var encoder = FaxEncoder(form, width: width)
            for row in rows { encoder.append(row) }
            page = ScanPage(samples: encoder.finish(), width: width, height: height, bits: 1)
            page.page = (Double(width), Double(height))
        }

        /// A random row. It usually resembles the row before, as on a real page, but is sometimes quite different.
        private static func row(after former: [Int], width: Int, using numbers: inout SeededGenerator) -> [Int] {
            var places = Set<Int>()
            if Int.random(in: 0..<8, using: &numbers) == 0 {
                for _ in 0..<Int.random(in: 0...12, using: &numbers) { places.insert(Int.random(in: 0..<width, using: &numbers)) }
            } else {
                for place in former {
                    let moved = place + Int.random(in: -1...1, using: &numbers) * Int.random(in: 0...4, using: &numbers)
                    if moved >= 0, moved < width { places.insert(moved) }
                }
                if Int.random(in: 0..<3, using: &numbers) == 0 { places.insert(Int.random(in: 0..<width, using: &numbers)) }
            }
            return places.sorted()
        }

        mutating func damage(using numbers: inout SeededGenerator) {
            for _ in 0..<Int.random(in: 1...3, using: &numbers) where !page.samples.isEmpty {
                let place = Int.random(in: page.samples.indices, using: &numbers)
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: page.samples[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                case 1: page.samples[place] = UInt8.random(in: 0...255, using: &numbers)
                case 2: page.samples.removeLast(page.samples.count - place)
                case 3: page.samples.remove(at: place)
                default: page.samples.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
                }
            }
        }

        /// The page, with a PDF's description of the image.
        func described(blackIs1: Bool, entries: String, rows: Int? = nil, columns: Int? = nil) -> ScanPage {
            var page = page
            page.filter = "/ASCIIHexDecode /CCITTFaxDecode"
            page.entries =
                """
                \(entries) /DecodeParms [null << /K \(form.k) /Columns \(columns ?? width) /EndOfLine \(form.endOfLine) \
                \(rows.map { "/Rows \($0)" } ?? "") /EncodedByteAlign \(form.byteAlign) /EndOfBlock \(form.endOfBlock) \
                /BlackIs1 \(blackIs1) >>]
                """
            return page
        }
    }

    private static let entries = [
        "/ColorSpace /DeviceGray", "/ColorSpace /DeviceGray /Decode [1 0]", "/ImageMask true", "/ImageMask true /Decode [1 0]",
    ]

    @Test(arguments: 0..<10)
    func everyStreamIsDrawnAsByPoppler(tens: Int) throws {
        var numbers = SeededGenerator(seed: 400 + UInt64(tens))
        var (whole, ours) = (0, 0)
        for round in 0..<100 {
            var sample = Sample(using: &numbers)
            let isDamaged = round % 2 == 1
            if isDamaged { sample.damage(using: &numbers) }
            // Some images have fewer rows than they state, and some have the correct number in /Rows.
            let height = sample.page.height
            if round % 10 == 4 {
                sample.page.height += 3
                sample.page.page.height += 3
            }
            let page = sample.described(
                blackIs1: Bool.random(using: &numbers), entries: Self.entries[round % 4],
                rows: sample.form.endOfBlock && Bool.random(using: &numbers) ? nil : height,
                columns: round % 20 == 9 ? sample.width + 8 : nil)
            let side = max(page.width, page.height)
            let bytes = page.pdf.bytes
            let decoder = try ScanDrawing.decoder(bytes, longSide: side)
            #expect(decoder != nil)
            if !isDamaged {
                whole += 1
                ours += decoder == .ours ? 1 : 0
            }
            let difference = try ScanDrawing(bytes, longSide: side).difference
            #expect(difference == 0, "\(sample.form), \(page.width)x\(page.height), \(tens), \(round), \(String(describing: decoder))")
        }
        #expect(ours >= whole * 9 / 10, "\(ours) of \(whole) whole streams")
    }

    @Test func encodedRowsAreTheRowsThatWereGiven() throws {
        var numbers = SeededGenerator(seed: 420)
        for _ in 0..<40 {
            let sample = Sample(using: &numbers)
            let page = sample.described(blackIs1: false, entries: Self.entries[0], rows: sample.page.height)
            let drawn = try ScanDrawing(page, longSide: max(page.width, page.height)).drawn
            for (y, row) in sample.rows.enumerated() {
                for x in 0..<sample.width {
                    let isBlack = row.count { $0 <= x } % 2 == 1
                    #expect(drawn[x, y] == (isBlack ? 0 : 0xffffff), "\(sample.form) at \(x), \(y)")
                }
            }
        }
    }

    /// The decoder must make no difference even if every pixel of a page is the mean of many.
    @Test(arguments: [37, 90])
    func smallerPagesAreTheSameFromBoth(longSide: Int) throws {
        var numbers = SeededGenerator(seed: 430)
        for _ in 0..<20 {
            let sample = Sample(using: &numbers)
            guard max(sample.width, sample.page.height) > longSide * 2, sample.width < sample.page.height * 20 else { continue }
            let page = sample.described(blackIs1: false, entries: Self.entries[0], rows: sample.page.height)
            var packed = page
            packed.filter = "/ASCIIHexDecode"
            packed.entries = "/ColorSpace /DeviceGray /Decode [1 0]"
            packed.samples = sample.rows.flatMap { row in
                stride(from: 0, to: sample.width, by: 8).map { start in
                    (start..<start + 8).reduce(0) { byte, x in
                        byte << 1 | (x < sample.width && row.count { $0 <= x } % 2 == 1 ? 1 : 0)
                    }
                }
            }
            let (one, other) = (try ScanDrawing(page, longSide: longSide).drawn, try ScanDrawing(packed, longSide: longSide).drawn)
            for y in 0..<one.height {
                for x in 0..<one.width { #expect(one[x, y] == other[x, y]) }
            }
        }
    }
}
