import Model
import TestSupport
import Testing

@testable import BenchmarkCorpus
@testable import PageRaster

/// Pages made of photographs and other pictures.
@Suite(.timeLimit(.minutes(5)))
struct PicturePageTests {
    /// Four quarters from the top left to the bottom right, each darker than the one before.
    private static func jpeg(width: Int = 48, height: Int = 32, exif: [UInt8]? = nil) -> [UInt8] {
        let grays: [UInt8] = [255, 170, 85, 0]
        let pixels = (0..<width * height).map { place in
            grays[(place / width < height / 2 ? 0 : 2) + (place % width < width / 2 ? 0 : 1)]
        }
        var bytes = JPEGEncoder.image(pixels, width: width, height: height, isGray: true, quality: 95)
        guard let exif else { return bytes }
        let length = exif.count + 2
        let segment: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]
        bytes.insert(contentsOf: segment + exif, at: 2)
        return bytes
    }

    private static func exif(
        _ orientation: Int, isBigFirst: Bool = true, table: Int = 8, entries: Int = 1
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return isBigFirst ? bytes.reversed() : bytes
        }
        var bytes = Array("Exif\0\0".utf8) + Array((isBigFirst ? "MM" : "II").utf8)
        for (value, count) in [(42, 2), (table, 4), (entries, 2), (0x112, 2), (3, 2), (1, 4), (orientation, 2), (0, 2), (0, 4)] {
            bytes += number(value, count)
        }
        return bytes
    }

    /// How bright the quarters of a page are, from 0 to 3, and whether it is wider than high.
    private static func shown(_ pdf: [UInt8]) throws -> (quarters: [Int], isWide: Bool) {
        let raster = Raster()
        #expect(try Drawing.document(pdf).draw(page: 0, longSide: 48, into: raster) == [])
        let quarters = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            (Int(raster[raster.width * x / 4, raster.height * y / 4] & 255) + 42) / 85
        }
        return (quarters, raster.width > raster.height)
    }

    /// The reason why a picture is refused; `nil` if it is not.
    private static func refusal(_ bytes: [UInt8]) -> RasterFailure? {
        do throws(RasterFailure) {
            _ = try PicturePage(of: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: zip(
            1...8,
            [
                [3, 2, 1, 0], [2, 3, 0, 1], [0, 1, 2, 3], [1, 0, 3, 2], [3, 1, 2, 0], [1, 3, 0, 2], [0, 2, 1, 3], [2, 0, 3, 1],
            ]))
    func aPhotographIsTurnedByItsExif(orientation: Int, expected: [Int]) throws {
        for isBigFirst in [true, false] {
            let page = try PicturePage(of: Self.jpeg(exif: Self.exif(orientation, isBigFirst: isBigFirst)))
            let (quarters, isWide) = try Self.shown(page.pdf)
            #expect(quarters == expected)
            #expect(isWide == (orientation <= 4))
        }
    }

    @Test func aJPEGStaysAsItIsWithoutItsMetadata() throws {
        let plain = Self.jpeg()
        let film = Array("a film".utf8)
        let page = try PicturePage(of: Self.jpeg(exif: Self.exif(1)) + film)
        #expect(page.pdf.firstRange(of: plain) != nil)
        #expect(page.pdf.firstRange(of: Array("Exif".utf8)) == nil && page.pdf.firstRange(of: film) == nil)
        #expect(try PicturePage(of: plain).pdf == page.pdf, "the same picture gives the same bytes")
    }

    @Test func aPageHasTheShapeOfThePictureAndTheLengthOfA4() throws {
        let geometry = try Drawing.document(PicturePage(of: Self.jpeg()).pdf).geometry(of: 0)
        #expect(abs(geometry.width - 841.89) < 0.01 && abs(geometry.height - 841.89 * 32 / 48) < 0.01)
    }

    private static func png() throws -> [UInt8] {
        let raster = try Drawing.blank(32, 48)
        for y in 0..<24 { for x in 16..<32 { raster[x, y] = 0x555555 } }
        return try PNGEncoder().encode(raster, key: Drawing.key)
    }

    @Test func aPNGIsPainted() throws {
        let page = try PicturePage(of: Self.png())
        let (quarters, isWide) = try Self.shown(page.pdf)
        #expect(quarters == [3, 1, 3, 3] && !isWide)
        #expect(try PicturePage(of: Self.png()).pdf == page.pdf)
    }

    @Test func aPictureThatEndsTooEarlyIsRefused() throws {
        let jpeg = Self.jpeg(exif: Self.exif(6))
        for count in 0..<jpeg.count { #expect(Self.refusal(Array(jpeg.prefix(count))) != nil, "\(count) of \(jpeg.count) bytes") }
        let png = try Self.png()
        for count in [0, 8, 20, 30, 50, png.count / 2, png.count - 20] {
            #expect(Self.refusal(Array(png.prefix(count))) != nil, "\(count) of \(png.count) bytes")
        }
    }

    @Test func onlyWhatEveryProgramShowsIsAccepted() throws {
        let jpeg = Self.jpeg()
        let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
        // The coding process, the bits of each colour, and the number of colours.
        for (offset, value) in [(1, 0xC3), (1, 0xC9), (4, 12), (9, 4), (9, 2)] as [(Int, UInt8)] {
            var other = jpeg
            other[frame + offset] = value
            #expect(Self.refusal(other) != nil, "\(value) at \(offset)")
        }
        #expect(Self.refusal(Array("GIF89a".utf8)) == .drawing("it is neither a JPEG nor a PNG; save it as one of these"))
    }

    @Test func hugeAndNarrowPicturesAreRefusedByTheirHeaders() throws {
        var jpeg = Self.jpeg()
        let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
        for (height, width) in [(0xFFFF, 0xFFFF), (0x3000, 0x3000), (0x4000, 1), (0, 1), (1, 0)] {
            jpeg.replaceSubrange((frame + 5)..<(frame + 9), with: [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) })
            #expect(Self.refusal(jpeg) != nil, "\(width) by \(height)")
        }
        var png = try Self.png()
        for size in [0xFF, 0x7F, 0x01] as [UInt8] {
            for place in [16, 20] { png[place] = size }
            #expect(Self.refusal(png) != nil, "\(size) in front")
        }
    }

    @Test func exifThatCannotBeReadTurnsNothing() throws {
        let broken: [[UInt8]] = [
            Self.exif(6, table: 0xFFFF_FFFF), Self.exif(6, table: 1_000_000), Self.exif(9, entries: 0xFFFF), Self.exif(0),
            Array(Self.exif(6).prefix(20)), Array("Exif\0\0".utf8), Array("Exif\0\0MM".utf8), [],
        ]
        for exif in broken { #expect(try Self.shown(PicturePage(of: Self.jpeg(exif: exif)).pdf).quarters == [3, 2, 1, 0]) }
    }

    @Test func hostilePicturesAreShownOrRefused() throws {
        var mutator = Mutator([Self.jpeg(exif: Self.exif(6)), Self.jpeg(), try Self.png()], words: ["Exif", "IDAT", "IEND", "IHDR"])
        for _ in 0..<Mutator.count(300) {
            let bytes = mutator.next()
            guard let page = try? PicturePage(of: bytes) else { continue }
            #expect(page.pdf.starts(with: Array("%PDF-".utf8)))
        }
    }
}
