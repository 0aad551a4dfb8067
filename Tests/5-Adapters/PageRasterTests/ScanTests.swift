import DemoScores
import Model
import PageRaster
import TestSupport
import Testing

/// Pages that are one bilevel or gray image, compared with cairo's drawings of them.
@Suite(.timeLimit(.minutes(5)))
struct ScanTests {
    /// Matrices that scanners write, for images that are upright, mirrored, upside down, or lying on either side.
    private static let matrices = [
        "200 0 0 300 0 0", "-200 0 0 300 200 0", "200 0 0 -300 0 300", "-200 0 0 -300 200 300",
        "0 300 -200 0 200 0", "0 -300 200 0 0 300", "0 300 200 0 0 0", "0 -300 -200 0 200 300",
    ]

    @Test(arguments: matrices, [0, 90, 180, 270])
    func everyTurnAndMirrorIsTheRightOne(matrix: String, rotation: Int) throws {
        var page = ScanPage.blocks(173, 229, seed: 7)
        page.matrix = matrix
        page.rotation = rotation
        for page in [page, page.bilevel] {
            #expect(try ScanDrawing.isScan(page, longSide: 75))
            #expect(try ScanDrawing(page, longSide: 75).difference < 1.5, "\(page.bits) bits")
        }
        // The page is drawn larger than its image.
        #expect(try ScanDrawing.isScan(page, longSide: 353))
        #expect(try ScanDrawing(page, longSide: 353).difference < 0.5)
    }

    @Test func oneBehindABadPageIsDrawnAsIfItStoodAlone() throws {
        let page = ScanPage.blocks(173, 229, seed: 13)
        var pdf = page.pdf
        pdf.kids.insert("null", at: 0)
        let (alone, behind) = (Raster(), Raster())
        #expect(try Drawing.document(page.pdf).draw(page: 0, longSide: 150, into: alone) == [])
        let document = try Drawing.document(pdf)
        #expect(throws: RasterFailure.noSuchPage(0)) { try document.draw(page: 0, longSide: 150, into: behind) }
        #expect(try document.draw(page: 1, longSide: 150, into: behind) == [])
        #expect((behind.width, behind.height) == (alone.width, alone.height))
        for y in 0..<alone.height {
            #expect((0..<alone.width).allSatisfy { (alone[$0, y] ^ behind[$0, y]) & 0xff_ffff == 0 })
        }
    }

    @Test(arguments: [80, 137, 220])
    func marginsCropsAndClipsAreWhereCairoHasThem(size: Int) throws {
        var margins = ScanPage.blocks(211, 313, seed: 8)
        margins.matrix = "151.3 0 0 222.7 31.25 44.6"
        var beyond = margins
        beyond.matrix = "260.2 0 0 390.9 -31.25 -44.6"
        var cropped = margins
        cropped.crop = (left: 20.5, bottom: 60.25, right: 171.7, top: 222.2)
        cropped.rotation = 90
        var clipped = margins
        clipped.before = "50.3 70.7 99.9 111.1 re W n"
        for page in [margins, beyond, cropped, clipped] {
            #expect(try ScanDrawing.isScan(page, longSide: size))
            #expect(try ScanDrawing(page, longSide: size).difference < 1.6, "\(page.matrix ?? "")")
            #expect(try ScanDrawing.isScan(page.bilevel, longSide: size))
            #expect(try ScanDrawing(page.bilevel, longSide: size).difference < 2.2, "\(page.matrix ?? ""), bits")
        }
    }

    @Test(arguments: [
        (8, "/ColorSpace /DeviceGray /Decode [1 0]"), (1, "/ColorSpace /DeviceGray /Decode [1 0]"),
        (8, "/ColorSpace /DeviceGray /Decode [0.2 0.7]"), (1, "/ColorSpace [/Indexed /DeviceRGB 1 <ffffff404040>]"),
        (1, "/ImageMask true"), (1, "/ImageMask true /Decode [1 0]"),
    ])
    func valuesMeanWhatTheImageDefines(bits: Int, entries: String) throws {
        var page = ScanPage.blocks(331, 449, seed: 9)
        if bits == 1 { page = page.bilevel }
        page.entries = entries
        #expect(try ScanDrawing.isScan(page))
        #expect(try ScanDrawing(page, longSide: 150).difference < 1.5)
    }

    @Test func decodersAreTheOnesOfPoppler() throws {
        // Sixteen white pixels, sixteen black ones and white ones to the end; then 31 rows like the row above; then the end mark.
        let row = "001" + "101010" + "0000010111" + "1"
        let bits = Array(row + String(repeating: "111", count: 31) + "000000000001000000000001" + "0000000")
        var page = ScanPage(samples: [], width: 64, height: 32, bits: 1)
        page.samples = stride(from: 0, to: bits.count - 7, by: 8).map { UInt8(String(bits[$0..<$0 + 8]), radix: 2) ?? 0 }
        page.filter = "/ASCIIHexDecode /CCITTFaxDecode"
        page.entries += " /DecodeParms [null << /K -1 /Columns 64 /Rows 32 >>]"
        page.page = (64, 32)
        #expect(try ScanDrawing.isScan(page, longSide: 32))
        let drawn = try ScanDrawing(page, longSide: 32).drawn
        for y in 0..<16 {
            for x in 0..<32 { #expect(drawn[x, y] == ((8..<16).contains(x) ? 0 : 0xffffff), "\(x), \(y)") }
        }
    }

    /// Compares each pixel with the plain definition: the mean over its area, or the value between its two neighbours.
    @Test func everyPixelIsTheMeanOfItsAreaOrLiesBetween() throws {
        var numbers = SeededGenerator(seed: 10)
        for round in 0..<60 {
            let (width, height) = (Int.random(in: 1...90, using: &numbers), Int.random(in: 1...90, using: &numbers))
            let samples = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            var page = ScanPage(samples: samples, width: width, height: height)
            page.page = (Double(width), Double(height))
            if round % 2 == 1 { page = page.bilevel }
            let size = Int.random(in: 1...max(width, height), using: &numbers)
            let drawn = Raster()
            let document = try Drawing.document(page.pdf)
            let (w, h) = try document.geometry(of: 0).pixels(longSide: size)
            guard w <= width, h <= height else { continue }
            #expect(try ScanDrawing.isScan(page, longSide: size))
            _ = try document.draw(page: 0, longSide: size, into: drawn)
            for y in 0..<h {
                for x in 0..<w {
                    let mean = Self.expected(page, x, y, w, h)
                    #expect(abs(Double(drawn[x, y] & 255) - mean) <= 0.7, "\(width)x\(height) to \(w)x\(h) at \(x), \(y)")
                }
            }
        }
    }

    private static func expected(_ page: ScanPage, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
        func share(_ index: Int, _ count: Int, _ target: Int, _ targetCount: Int) -> Double {
            let scale = Double(count) / Double(targetCount)
            // If the page is not much smaller than its image, cairo weighs the two nearest pixels by their distance.
            if scale < 1 / 0.75 {
                let place = max(0, min(Double(count - 1), (Double(target) + 0.5) * scale - 0.5))
                return max(0, 1 - abs(place - Double(index)))
            }
            return max(0, min(Double(index + 1), Double(target + 1) * scale) - max(Double(index), Double(target) * scale)) / scale
        }
        var sum = 0.0
        for row in 0..<page.height {
            let down = share(row, page.height, y, height)
            guard down > 0 else { continue }
            for column in 0..<page.width {
                sum += down * share(column, page.width, x, width) * Double(page.gray(column, row))
            }
        }
        return sum
    }

    @Test(arguments: [("simple-gifts-scan-g4", 1), ("old-songbook-scan", 2), ("piano-album", 0)])
    func demoScansAreDrawnThisWay(name: String, scans: Int) throws {
        let score = try #require((0..<demo_scores_count).map { woodshed_demo_scores()[$0] }.first { String(cString: $0.name) == name })
        let bytes = Array(UnsafeBufferPointer(start: score.bytes, count: score.length))
        let pages = try (0..<Drawing.document(bytes).pageCount).filter { try ScanDrawing.isScan(bytes, page: $0, longSide: 700) }
        #expect(pages == Array(0..<scans))
        for page in pages {
            #expect(try ScanDrawing(bytes, page: page, longSide: 700).difference < 1, "page \(page)")
        }
    }

    /// poppler's global state is shared with poppler-glib, which creates and removes it.
    @Test func documentsComeAndGoInAnyOrder() throws {
        let scan = ScanPage.blocks(301, 399, seed: 11).bilevel
        var text = TestPDF()
        text.addPage(
            resources: "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>", "BT /F 90 Tf 50 400 Td (Amen) Tj ET")
        let raster = Raster()
        var open: [ChartDocument] = []
        for round in 0..<12 {
            open.append(try Drawing.document(round % 3 == 0 ? text : scan.pdf))
            for document in open { #expect(try document.draw(page: 0, longSide: 200, into: raster) == []) }
            if round % 4 == 2 { open.removeFirst(2) }
            if round % 4 == 3 { open.removeLast() }
        }
        open = []
        let difference = try ScanDrawing(scan, longSide: 200).difference
        #expect(difference < 1.5)
    }
}
