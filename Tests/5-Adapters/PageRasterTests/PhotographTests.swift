import TestSupport
import Testing

@testable import BenchmarkCorpus
@testable import PageRaster

/// JPEGs of whole pages, in gray and in colour, compared with cairo's drawings of them.
@Suite(.timeLimit(.minutes(5)))
struct PhotographTests {
    /// Blocks of random grays on tinted paper, with a little noise.
    private static func photograph(_ width: Int, _ height: Int, isGray: Bool, seed: UInt64, quality: Int = 90) -> ScanPage {
        var numbers = SeededGenerator(seed: seed)
        let channels = isGray ? 1 : 3
        let blocks = ScanPage.blocks(width, height, seed: seed)
        var pixels = [UInt8](repeating: 0, count: width * height * channels)
        for place in 0..<width * height {
            for channel in 0..<channels {
                let noise = Int.random(in: -6...6, using: &numbers)
                let base = Int(blocks.samples[place]) * [250, 235, 210][channel] / 255
                pixels[place * channels + channel] = UInt8(max(0, min(255, base + noise)))
            }
        }
        let jpeg = JPEGEncoder.image(pixels, width: width, height: height, isGray: isGray, quality: quality)
        var page = ScanPage(samples: jpeg, width: width, height: height)
        page.filter = "/ASCIIHexDecode /DCTDecode"
        page.entries = isGray ? "/ColorSpace /DeviceGray" : "/ColorSpace /DeviceRGB"
        page.page = (Double(width), Double(height))
        return page
    }

    @Test(arguments: [true, false])
    func sameSizeIsTheSamePixels(isGray: Bool) throws {
        for seed in 0..<6 as Range<UInt64> {
            let page = Self.photograph(61 + Int(seed) * 9, 83, isGray: isGray, seed: seed, quality: 30 + Int(seed) * 12)
            let side = max(page.width, page.height)
            #expect(try ScanDrawing.decoder(page.pdf.bytes, longSide: side) == .ours)
            #expect(try ScanDrawing(page, longSide: side).difference == 0)
        }
    }

    /// For the larger sizes, cairo interpolates each pixel between two pixels of the image. For smaller sizes, it averages more pixels.
    @Test(arguments: [true, false], [315, 280, 250, 241, 230, 170, 160, 150, 100, 81, 79, 60, 40, 21])
    func smallerIsAsCairoHasIt(isGray: Bool, longSide: Int) throws {
        let page = Self.photograph(213, 320, isGray: isGray, seed: 50)
        #expect(try ScanDrawing.decoder(page.pdf.bytes, longSide: longSide) == .ours)
        let drawing = try ScanDrawing(page, longSide: longSide)
        #expect(drawing.difference <= 0.9)
        #expect(drawing.greatest <= 64)
    }

    @Test(arguments: ["-213 0 0 320 213 0", "213 0 0 -320 0 320", "0 213 -320 0 320 0", "0 -213 320 0 0 213", "180 0 0 270 12.4 31.7"])
    func turnedAndMirroredColorsAreWhereCairoHasThem(matrix: String) throws {
        var page = Self.photograph(213, 320, isGray: false, seed: 51)
        page.matrix = matrix
        if matrix.hasPrefix("0 ") { page.page = (320, 213) }
        for longSide in [250, 160] {
            #expect(try ScanDrawing.decoder(page.pdf.bytes, longSide: longSide) == .ours)
            let drawing = try ScanDrawing(page, longSide: longSide)
            #expect(drawing.difference <= 0.9, "\(longSide)")
            #expect(drawing.greatest <= 64, "\(longSide)")
        }
    }

    /// A picture without JPEG compression: poppler decodes its pixels, which are then drawn in the same way as those of a JPEG.
    @Test func plainSamplesAreDrawnAsWell() throws {
        var page = Self.photograph(213, 320, isGray: false, seed: 52)
        var numbers = SeededGenerator(seed: 52)
        page.filter = "/ASCIIHexDecode"
        page.samples = (0..<213 * 320 * 3).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        for longSide in [320, 250, 100] {
            #expect(try ScanDrawing.decoder(page.pdf.bytes, longSide: longSide) == .popplers)
            #expect(try ScanDrawing(page, longSide: longSide).difference <= 0.9)
        }
    }

    @Test func oddOnesAreLeftToPoppler() throws {
        let page = Self.photograph(61, 83, isGray: false, seed: 53)
        let spoiled: [(String, ScanReader.Decoder?, (inout ScanPage) -> Void)] = [
            ("mixed otherwise", .popplers, { $0.entries += " /DecodeParms [null << /ColorTransform 0 >>]" }),
            ("garbage before it", .popplers, { $0.samples.insert(contentsOf: [1, 2, 3], at: 0) }),
            (
                "another height", .popplers,
                {
                    $0.height += 5
                    $0.page.height += 5
                }
            ),
            ("a mask by colour", nil, { $0.entries += " /Mask [0 1 0 1 0 1]" }),
            ("inverted", nil, { $0.entries += " /Decode [1 0 1 0 1 0]" }),
            ("odd colours", nil, { $0.entries = "/ColorSpace [/Lab << /WhitePoint [0.95 1 1.09] >>]" }),
        ]
        for (what, decoder, spoil) in spoiled {
            var page = page
            spoil(&page)
            #expect(try ScanDrawing.decoder(page.pdf.bytes, longSide: page.height) == decoder, "\(what)")
            #expect(try ScanDrawing(page, longSide: page.height).difference < 0.1, "\(what)")
        }
    }

    @Test(arguments: [true, false])
    func damagedOnesAreDrawnAsByPoppler(isGray: Bool) throws {
        var numbers = SeededGenerator(seed: 54)
        let page = Self.photograph(61, 83, isGray: isGray, seed: 54)
        for round in 0..<120 {
            var page = page
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 2..<page.samples.count, using: &numbers)
                switch round % 3 {
                case 0: page.samples[place] = UInt8.random(in: 0...255, using: &numbers)
                case 1: page.samples.removeLast(page.samples.count - place)
                default: page.samples.remove(at: place)
                }
            }
            let document = try Drawing.document(page.pdf.bytes)
            let raster = Raster()
            // Drawing reports poppler's warnings, whichever decoder was used.
            _ = try document.draw(page: 0, longSide: 83, into: raster)
            let drawing = try ScanDrawing(page, longSide: 83)
            #expect(drawing.difference == 0, "\(round)")
        }
    }
}
