import Model
import PageRaster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PNGEncoderTests {
    private let encoder = PNGEncoder()

    @Test func everyRasterComesBackPixelForPixel() throws {
        var numbers = SeededGenerator(seed: 1)
        for round in 0..<300 {
            let (width, height) = (Int.random(in: 1...70, using: &numbers), Int.random(in: 1...70, using: &numbers))
            let isGray = Bool.random(using: &numbers)
            let isNoisy = Bool.random(using: &numbers)
            let raster = try Drawing.blank(width, height)
            for y in 0..<height {
                for x in 0..<width where isNoisy || (x / 8 + y / 8) % 2 == 0 {
                    let gray = UInt32.random(in: 0...255, using: &numbers) * 0x01_0101
                    // The top byte is undefined: it must make no difference.
                    let top = UInt32.random(in: 0...255, using: &numbers) << 24
                    raster[x, y] = top | (isGray ? gray : UInt32.random(in: 0...0xffffff, using: &numbers))
                }
            }
            if !isGray { raster[0, 0] = 0x010203 }
            let image = try #require(PNGImage(encoder.encode(raster, key: Drawing.key)), "round \(round)")
            #expect(image.width == width && image.height == height)
            #expect(image.channels == (isGray ? 1 : 3))
            #expect((0..<height).allSatisfy { y in (0..<width).allSatisfy { image[$0, y] == raster[$0, y] } }, "round \(round)")
        }
    }

    @Test(arguments: [0x000001, 0x000100, 0x010000, 0xfffffe, 0xfffeff, 0xfeffff] as [UInt32])
    func oneColouredPixelMakesTheImageRGB(color: UInt32) throws {
        let raster = try Drawing.blank(101, 77)
        raster[0, 0] = 0x808080
        #expect(PNGImage(try encoder.encode(raster, key: Drawing.key))?.channels == 1)
        raster[100, 76] = color
        let image = try #require(PNGImage(encoder.encode(raster, key: Drawing.key)))
        #expect(image.channels == 3)
        #expect(image[100, 76] == color)
    }

    @Test func grayPagesAreGrayAndColouredOnesRGB() throws {
        var pdf = TestPDF()
        pdf.addPage("0.3 g 100 100 200 200 re f 0 0 m 500 700 l S")
        pdf.addPage("0 0 1 rg 100 100 200 200 re f")
        let document = try Drawing.document(pdf)
        let raster = Raster()
        for (page, channels) in [1, 3].enumerated() {
            _ = try document.draw(page: page, longSide: 600, into: raster)
            #expect(PNGImage(try encoder.encode(raster, key: Drawing.key))?.channels == channels)
        }
    }

    @Test func imageHasItsKeyAndEndsWhole() throws {
        let png = try encoder.encode(Drawing.blank(3, 2), key: Drawing.key)
        #expect(PNGImage.chunk("wsKY", of: png)?.prefix(64).elementsEqual(Drawing.key.digest.hex.utf8) == true)
        #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
    }

    @Test func sameRasterGivesTheSameBytesWhateverCameBefore() throws {
        let small = try Drawing.blank(5, 5, 0x808080)
        let first = try encoder.encode(small, key: Drawing.key)
        _ = try encoder.encode(Drawing.blank(200, 300, 0xff0000), key: Drawing.key)
        #expect(try encoder.encode(small, key: Drawing.key) == first)
    }
}
