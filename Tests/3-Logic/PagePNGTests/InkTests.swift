import Model
import TestSupport
import Testing

@testable import PagePNG

/// Images state a box around their ink, which must contain all of it.
@Suite(.timeLimit(.minutes(5)))
struct InkTests {
    /// How much a channel may differ from the paper without counting as ink.
    private static let grain = 4

    /// The box that an image states. Like the cache, reads only the head and the tail of the file.
    private func stated(_ png: [UInt8]) -> InkBox? {
        PageInk(head: Array(png.prefix(PageInk.headLength)), tail: Array(png.suffix(PageInk.tailLength)))?.all
    }

    /// The box around a picture's ink, found pixel by pixel.
    private func box(_ words: [UInt32], width: Int, _ paper: Color) -> InkBox? {
        let channels = [(16, paper.red), (8, paper.green), (0, paper.blue)]
        let inked = words.indices.filter { place in
            channels.contains { abs(Int(words[place] >> UInt32($0.0) & 255) - Int($0.1)) > Self.grain }
        }
        guard let first = inked.first, let last = inked.last else { return InkBox.none }
        let columns = inked.map { $0 % width }
        return InkBox(
            columns: columns.min()!..<columns.max()! + 1, rows: first / width..<last / width + 1, width: width, height: words.count / width)
    }

    private func packed(_ words: [UInt32], width: Int, bandHeight: Int = 64) -> PackedRows {
        let rows = PackedRows()
        words.withUnsafeBufferPointer {
            rows.pack($0.baseAddress!, width: width, height: words.count / width, bandHeight: bandHeight)
        }
        return rows
    }

    @Test func theBoxHasAllInkAndNoMore() {
        let writer = PNGWriter()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let bandHeight = Cases.bandHeights.randomElement(using: &numbers) ?? 64
            let paper = [Color.white, Color(red: 255, green: 250, blue: 230), Color(red: 200, green: 200, blue: 200)]
                .randomElement(using: &numbers)!
            let png = writer.image(of: packed(picture.words, width: picture.width, bandHeight: bandHeight), key: Cases.key, paper: paper)
            #expect(stated(png) == box(picture.words, width: picture.width, paper), "seed \(seed)")
            png.withUnsafeBytes { #expect(BandedPNG($0)?.statesInk == true, "seed \(seed)") }
        }
    }

    /// A few dots on a page as wide as ours, in gray and in colour. The rows are searched in pieces.
    @Test(arguments: [0x00_0000, 0x00_00ff] as [UInt32]) func blotsOnWidePages(color: UInt32) {
        let (width, height) = (1932, 200)
        for seed in 0..<40 as Range<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            var words = [UInt32](repeating: 0xff_ffff, count: width * height)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                words[Int.random(in: 0..<words.count, using: &numbers)] = color
            }
            let png = PNGWriter().image(of: packed(words, width: width), key: Cases.key)
            #expect(stated(png) == box(words, width: width, .white), "seed \(seed)")
        }
    }

    /// Pixels that cannot be distinguished from photographed white paper are not ink. Slightly darker pixels are ink.
    @Test(arguments: [(0xfb_fbfb, false), (0xfa_fafa, true), (0xff_fffb, false), (0xff_fffa, true)] as [(UInt32, Bool)])
    func paperIsNotQuiteEven(color: UInt32, isInk: Bool) {
        var words = [UInt32](repeating: 0xff_ffff, count: 100 * 100)
        words[3050] = color
        let expected = isInk ? InkBox(columns: 50..<51, rows: 30..<31, width: 100, height: 100) : InkBox.none
        #expect(stated(PNGWriter().image(of: packed(words, width: 100), key: Cases.key)) == expected)
    }

    @Test func blankPagesHaveNone() {
        let white = packed(Array(repeating: 0xff_ffff, count: 90 * 130), width: 90)
        #expect(stated(PNGWriter().image(of: white, key: Cases.key)) == InkBox.none)
    }

    /// A box is stated in ten-thousandths of a side. In this unit, row 300 of 9999 begins at 300.03 and ends at 301.03.
    @Test func boxesAreRoundedOutward() {
        let box = InkBox(columns: 1..<32766, rows: 300..<301, width: 32767, height: 9999)
        #expect(box.map { [$0.left, $0.top, $0.right, $0.bottom] } == [0, 300, 10_000, 302])
    }

    /// A file has the same bytes, and so the same box, whether its bands are copied from another image or packed.
    @Test func bandsBringTheirBoxesAlong() throws {
        let writer = PNGWriter()
        for seed in Cases.seeds.prefix(Cases.count) {
            var numbers = SeededGenerator(seed: seed)
            let picture = Cases.picture(using: &numbers)
            let rows = picture.packed(bandHeight: 7)
            let png = writer.image(of: rows, key: Cases.key)
            try png.withUnsafeBytes { bytes in
                let image = try #require(BandedPNG(bytes))
                writer.begin(image.layout)
                for band in 0..<image.layout.bandCount {
                    if Bool.random(using: &numbers) { writer.append(band, of: rows) } else { writer.append(band, from: image) }
                }
                #expect(writer.finish(key: Cases.key) == png, "seed \(seed)")
            }
        }
    }

    /// Images of an earlier version state no box, but are still good.
    @Test func imagesThatStateNoInkAreReadAsBefore() throws {
        var numbers = SeededGenerator(seed: 5)
        let picture = Picture(width: 50, height: 90, isGray: true, using: &numbers)
        let (rows, writer) = (picture.packed(bandHeight: 32), PNGWriter())
        writer.begin(try #require(rows.layout), statesInk: false)
        for band in 0..<3 { writer.append(band, of: rows) }
        let former = writer.finish(key: Cases.key)
        #expect(PNGImage.chunk("wsKY", of: former)?.count == 68 + 4 * 3 && PNGImage.chunk("wsIN", of: former) == nil)
        #expect(stated(former) == nil)
        #expect(Cases.isWhole(former))
        try former.withUnsafeBytes { bytes in
            let image = try #require(BandedPNG(whole: bytes, unpackingInto: PackedRows()))
            #expect(!image.statesInk)
            // A new image that contains one of these bands states no box, either.
            writer.begin(image.layout)
            writer.append(0, of: rows)
            writer.append(1, from: image)
            writer.append(2, of: rows)
            #expect(writer.finish(key: Cases.key) == former)
        }
    }

    @Test func aDamagedBoxIsNoBox() {
        var png = PNGWriter().image(of: packed([0xff_ffff, 0, 0xff_ffff, 0xff_ffff], width: 2), key: Cases.key)
        #expect(stated(png) == InkBox(columns: 1..<2, rows: 0..<1, width: 2, height: 2))
        for place in png.count - PageInk.tailLength..<png.count - 12 {
            png[place] ^= 1
            #expect(stated(png) == nil, "byte \(place) of \(png.count)")
            png[place] ^= 1
        }
    }
}
