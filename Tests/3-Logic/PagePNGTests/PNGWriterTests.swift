import Model
import PagePNG
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PNGWriterTests {
    /// libpng and our own reader decode exactly the written pixels, and the same picture always gives the same file.
    private func check(_ picture: Picture, bandHeight: Int, _ writer: PNGWriter, _ note: Comment) throws {
        let png = writer.image(of: picture.packed(bandHeight: bandHeight), key: Cases.key)
        let decoded = try #require(PNGImage(png), note)
        #expect(decoded.width == picture.width && decoded.height == picture.height, note)
        #expect(decoded.channels == (picture.isGray ? 1 : 3), note)
        let isExact = decoded.pixels == picture.bytes
        #expect(isExact, note)
        #expect(writer.image(of: picture.packed(bandHeight: bandHeight), key: Cases.key) == png, note)
        #expect(PNGWriter().image(of: picture.packed(bandHeight: bandHeight), key: Cases.key) == png, note)
        try png.withUnsafeBytes { bytes in
            let image = try #require(BandedPNG(bytes), note)
            #expect(image.key == Cases.key, note)
            let layout = ImageLayout(width: picture.width, height: picture.height, isGray: picture.isGray, bandHeight: bandHeight)
            #expect(image.layout == layout, note)
            let rows = PackedRows()
            rows.prepare(layout)
            // Unpack in reverse order, since each band must unpack without the others.
            for band in (0..<layout.bandCount).reversed() {
                #expect(image.isSound(band), note)
                #expect(image.unpack(band, into: rows), note)
                let isShown = picture.isShown(in: rows, band: band)
                #expect(isShown, note)
            }
            // Writing the unpacked rows gives the same file.
            #expect(writer.image(of: rows, key: Cases.key) == png, note)
        }
    }

    @Test func everyPictureComesBackPixelForPixel() throws {
        let writer = PNGWriter()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let bandHeight = Cases.bandHeights.randomElement(using: &numbers) ?? 64
            try check(picture, bandHeight: bandHeight, writer, "seed \(seed), bands of \(bandHeight)")
        }
    }

    @Test(arguments: Cases.bandHeights)
    func bandsOfAnyHeight(bandHeight: Int) throws {
        var numbers = SeededGenerator(seed: UInt64(bandHeight))
        let writer = PNGWriter()
        for isGray in [true, false] {
            for (width, height) in [(1, 1), (1, 130), (33, 65), (97, 64)] {
                let picture = Picture(width: width, height: height, isGray: isGray, using: &numbers)
                try check(picture, bandHeight: bandHeight, writer, "\(width)x\(height), bands of \(bandHeight)")
            }
        }
    }

    /// Rows longer than the window of deflate, many bands, and large bands.
    @Test(arguments: [(20_000, 3), (3, 20_000), (20_000, 400), (11_000, 5), (32_767, 2), (1, 32_767)], [true, false])
    func longSides(size: (Int, Int), isGray: Bool) throws {
        var numbers = SeededGenerator(seed: UInt64(size.0 + size.1))
        let picture = Picture(width: size.0, height: size.1, isGray: isGray, using: &numbers)
        let packed = picture.packed(bandHeight: 64)
        let png = PNGWriter().image(of: packed, key: Cases.key)
        let decoded = try #require(PNGImage(png))
        #expect(decoded.pixels == picture.bytes)
        #expect(PNGWriter().image(of: packed, key: Cases.key) == png)
        try png.withUnsafeBytes { bytes in
            let image = try #require(BandedPNG(bytes))
            let rows = PackedRows()
            rows.prepare(image.layout)
            for band in 0..<image.layout.bandCount { #expect(image.isSound(band) && image.unpack(band, into: rows)) }
            #expect(PNGWriter().image(of: rows, key: Cases.key) == png)
        }
    }

    /// The size of the file for a picture with our usual width and height, whose shades come from `shade`.
    private func bytes(_ shade: (_ x: Int, _ y: Int) -> Int, isGray: Bool = true) -> Int {
        let (width, height) = (1932, 2732)
        let words = (0..<height).flatMap { y in
            (0..<width).map { x in
                let shade = UInt32(min(max(shade(x, y), 0), 255))
                return isGray ? shade * 0x010101 : shade << 16 | (shade * 7 / 8) << 8 | shade * 3 / 4
            }
        }
        let rows = PackedRows()
        words.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: width, height: height) }
        return PNGWriter().image(of: rows, key: Cases.key).count
    }

    @Test func paperTakesNextToNothing() {
        #expect(bytes { _, _ in 255 } < 12_000)
        #expect(bytes { x, y in y % 1000 < 60 && x % 40 < 3 ? 0 : 255 } < 24_000)
    }

    /// The shades change in both directions, with noise of two to three bits. A pixel must take hardly more space than its noise.
    @Test(arguments: [(true, 0.36), (false, 1.1)]) func photographsAreDifferencesFromTheirNeighbours(isGray: Bool, most: Double) {
        var random = SeededGenerator(seed: 7)
        let noise = (0..<65_537).map { _ in Int.random(in: 0...3, using: &random) }
        let size = bytes({ x, y in 60 + x / 24 + y / 40 + noise[(x * 31 + y * 8191) % noise.count] }, isGray: isGray)
        #expect(Double(size) < most * 1932 * 2732, "\(Double(size) / 1932 / 2732)")
    }

    /// A scan whose paper was made white again: most of it repeats, but the rest is still a photograph.
    @Test func photographsBesideWhitePaperAreDifferences() {
        var random = SeededGenerator(seed: 8)
        let noise = (0..<65_537).map { _ in Int.random(in: 0...3, using: &random) }
        let size = bytes { x, y in x % 100 < 65 ? 255 : 60 + x / 24 + y / 40 + noise[(x * 31 + y * 8191) % noise.count] }
        #expect(Double(size) < 0.15 * 1932 * 2732, "\(Double(size) / 1932 / 2732)")
    }

    /// A blank page takes almost no space, in full size and small, and every reader decodes it as white.
    @Test(arguments: [(1932, 2732), (226, 320), (1, 1), (9, 3), (320, 65)]) func blankPagesTakeABitAPixel(width: Int, height: Int) throws {
        let rows = PackedRows()
        [UInt32](repeating: 0xffff_ffff, count: width * height).withUnsafeBufferPointer {
            rows.pack($0.baseAddress!, width: width, height: height)
        }
        let small = PackedRows()
        small.shrink(rows, width: (width + 2) / 3, height: (height + 2) / 3)
        for rows in [rows, small] {
            let layout = try #require(rows.layout)
            #expect(layout.isWhite && layout.isGray)
            let png = PNGWriter().image(of: rows, key: Cases.key)
            #expect(png.count < 4000)
            let decoded = try #require(PNGImage(png))
            #expect(decoded.pixels.allSatisfy { $0 == 255 })
            #expect(decoded.pixels.count == layout.width * layout.height * decoded.channels)
            try png.withUnsafeBytes { bytes in
                let image = try #require(BandedPNG(whole: bytes, unpackingInto: PackedRows()))
                // Marks may be drawn on the unpacked rows, in gray or in colour.
                for layout in [layout, layout.inGray, layout.inColour] {
                    let rows = PackedRows()
                    rows.prepare(layout)
                    let words = [UInt32](unsafeUninitializedCapacity: layout.width * layout.height) { words, count in
                        for band in 0..<layout.bandCount {
                            #expect(image.unpack(band, into: rows))
                            rows.unpack(band: band, to: words.baseAddress!)
                        }
                        count = words.count
                    }
                    #expect(words.allSatisfy { $0 & 0xff_ffff == 0xff_ffff })
                    #expect(PNGWriter().image(of: rows, key: Cases.key) == png || layout != image.layout)
                }
            }
        }
    }

    /// A page with a single pixel of ink, wherever it is, is not blank.
    @Test(arguments: [(0, 0), (32, 0), (0, 69), (32, 69), (16, 64)]) func onePixelOfInkIsSeen(x: Int, y: Int) throws {
        var words = [UInt32](repeating: 0xff_ffff, count: 33 * 70)
        words[y * 33 + x] = 0xfe_fefe
        let rows = PackedRows()
        words.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: 33, height: 70) }
        #expect(rows.layout?.isWhite == false)
        #expect(PNGImage(PNGWriter().image(of: rows, key: Cases.key))?[x, y] == 0xfe_fefe)
    }

    @Test func grayPixelsAreTakenAsGray() {
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let isGray = picture.words.allSatisfy { $0 & 255 == $0 >> 8 & 255 && $0 & 255 == $0 >> 16 & 255 }
            let rows = PackedRows()
            picture.words.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: picture.width, height: picture.height) }
            #expect(rows.layout?.isGray == isGray, "seed \(seed)")
            let bands = 0..<(rows.layout?.bandCount ?? 0)
            let isShown = bands.allSatisfy { picture.isShown(in: rows, band: $0) }
            #expect(isShown, "seed \(seed)")
        }
    }

    /// An image made of bands of several others, some copied from files and some from packed rows.
    @Test func bandsMoveBetweenImages() throws {
        let writer = PNGWriter()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let (width, height) = Cases.size(using: &numbers)
            let isGray = Bool.random(using: &numbers)
            let bandHeight = Cases.bandHeights.randomElement(using: &numbers) ?? 64
            let pictures = (0..<3).map { _ in Picture(width: width, height: height, isGray: isGray, using: &numbers) }
            let packed = pictures.map { $0.packed(bandHeight: bandHeight) }
            let files = packed.map { writer.image(of: $0, key: Cases.key) }
            let layout = ImageLayout(width: width, height: height, isGray: isGray, bandHeight: bandHeight)
            let choice = (0..<layout.bandCount).map { _ in
                (picture: Int.random(in: 0..<3, using: &numbers), isPacked: Bool.random(using: &numbers))
            }
            writer.begin(layout)
            var expected: [UInt8] = []
            for (band, chosen) in choice.enumerated() {
                if chosen.isPacked {
                    writer.append(band, of: packed[chosen.picture])
                } else {
                    try files[chosen.picture].withUnsafeBytes { writer.append(band, from: try #require(BandedPNG($0))) }
                }
                let rows = layout.rows(ofBand: band)
                let rowBytes = width * layout.channels
                expected += pictures[chosen.picture].bytes[(rows.lowerBound * rowBytes)..<(rows.upperBound * rowBytes)]
            }
            let key = ImageKey(SHA256.digest(of: "another key"))
            let png = writer.finish(key: key)
            #expect(try #require(PNGImage(png), "seed \(seed)").pixels == expected, "seed \(seed)")
            png.withUnsafeBytes { #expect(BandedPNG($0)?.key == key, "seed \(seed)") }
        }
    }

    @Test func keyChunkHasKeyBandHeightAndEachBandsSumAndInk() throws {
        var numbers = SeededGenerator(seed: 9)
        let picture = Picture(width: 41, height: 20, isGray: false, using: &numbers)
        let png = PNGWriter().image(of: picture.packed(bandHeight: 7), key: Cases.key)
        let chunk = try #require(PNGImage.chunk("wsKY", of: png))
        #expect(chunk.prefix(64).elementsEqual(Cases.key.digest.hex.utf8))
        #expect(Array(chunk[64..<68]) == [0, 0, 0, 7])
        #expect(chunk.count == 68 + (4 + 8) * 3)
        #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
    }
}
