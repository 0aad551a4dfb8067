import PageRaster
import TestSupport
import Testing

/// An image that is not quite a scan is drawn by cairo, pixel for pixel; and broken scans cost little.
@Suite(.timeLimit(.minutes(5)))
struct ScanRefusalTests {
    private static let scan = ScanPage.blocks(331, 449, seed: 20).bilevel
    private static let font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    private static let text = "BT /F 20 Tf 20 100 Td (Allegro) Tj ET"

    @Test func textThatWasRecognisedIsNotSeen() throws {
        var page = Self.scan
        page.resources = Self.font
        page.after = "BT 3 Tr /F 20 Tf 20 100 Td (Allegro) Tj ET"
        #expect(try ScanDrawing.isScan(page))
        // If our own drawing equalled cairo's here, the tests below would prove nothing.
        #expect(try ScanDrawing(page, longSide: 150).difference > 0)
    }

    private static let spoiled: [(String, @Sendable (inout ScanPage) -> Void)] = [
        ("text above", { ($0.resources, $0.after) = (font, text) }),
        ("text below", { ($0.resources, $0.before) = (font, text) }),
        ("a line", { $0.after = "20 20 m 100 100 l S" }),
        ("paper", { $0.before = "0.9 g 0 0 200 300 re f" }),
        ("a round clip", { $0.before = "0 0 m 200 0 l 200 300 300 100 0 300 c h W n" }),
        ("two clips in one", { $0.before = "0 0 50 50 re 100 100 50 50 re W n" }),
        ("the image twice", { $0.after = "q 20 0 0 20 0 0 cm /Scan Do Q" }),
        ("an inline image", { $0.after = "q 20 0 0 20 9 9 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u{0} EI Q" }),
        ("opacity", { ($0.resources, $0.before) = ("/ExtGState << /E << /ca 0.5 >> >>", "/E gs") }),
        ("multiplying", { ($0.resources, $0.before) = ("/ExtGState << /E << /BM /Multiply >> >>", "/E gs") }),
        ("a turn", { $0.matrix = "199.9 6 -6 299.8 3 -3" }),
        ("colours", { $0.entries = "/ColorSpace [/Indexed /DeviceRGB 1 <ffffff400000>]" }),
        ("paper in the palette", { $0.entries = "/ColorSpace [/Indexed /DeviceRGB 1 <e0e0e0404040>]" }),
        ("a mask by colour", { $0.entries += " /Mask [1 1]" }),
        ("a coloured stencil", { ($0.entries, $0.before) = ("/ImageMask true", "1 0 0 rg") }),
        (
            "a shading",
            { page in
                page.resources =
                    "/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 9] /Function << /FunctionType 2 /N 1 /Domain [0 1] >> >> >>"
                page.after = "/S sh"
            }
        ),
        ("an operator that nobody knows", { $0.after = "1 2 3 hurra" }),
    ]

    @Test(arguments: spoiled.indices)
    func whatHasMoreToShowIsLeftToCairo(index: Int) throws {
        let (what, spoil) = Self.spoiled[index]
        var page = Self.scan
        spoil(&page)
        #expect(try !ScanDrawing.isScan(page, longSide: 150), "\(what)")
        #expect(try ScanDrawing(page, longSide: 150).difference == 0, "\(what)")
    }

    @Test func softMasksAndAnnotationsAreLeftToCairo() throws {
        var page = Self.scan
        page.entries += " /SMask 7 0 R"
        var pdf = page.pdf
        while pdf.add("null") < 6 {}
        pdf.add(
            """
            << /Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray \
            /Filter /ASCIIHexDecode /Length 3 >>
            stream
            80>
            endstream
            """)
        #expect(try !ScanDrawing.isScan(pdf.bytes, longSide: 150))
        #expect(try ScanDrawing(pdf.bytes, longSide: 150).difference == 0)
        page = Self.scan
        page.resources = ">> /Annots [<< /Type /Annot /Subtype /Square /Rect [20 20 90 90] /C [1 0 0] >>] /Also <<"
        #expect(try !ScanDrawing.isScan(page, longSide: 150))
        let drawn = try ScanDrawing(page, longSide: 150)
        #expect(drawn.difference == 0)
        #expect((0..<150).contains { drawn.drawn[12, $0] == 0xff0000 })
        // A link without a border shows nothing.
        page.resources = ">> /Annots [<< /Type /Annot /Subtype /Link /Rect [20 20 90 90] /Border [0 0 0] >>] /Also <<"
        #expect(try ScanDrawing.isScan(page, longSide: 150))
    }

    @Test(arguments: [1, 8])
    func missingRowsAreFilledAsPopplerDoes(bits: Int) throws {
        var page = ScanPage.blocks(331, 449, seed: 21)
        if bits == 1 { page = page.bilevel }
        for entries in ["/ColorSpace /DeviceGray", "/ColorSpace /DeviceGray /Decode [1 0]"] {
            for share in [0, 2, 3] {
                var broken = page
                broken.entries = entries
                broken.samples.removeLast(page.samples.count - page.samples.count * share / 4)
                #expect(try ScanDrawing.isScan(broken))
                #expect(try ScanDrawing(broken, longSide: 150).difference < 1.5, "\(entries), \(share) quarters")
            }
        }
    }

    @Test(arguments: [1, 8])
    func sizesWithoutDataAreOnlyNumbers(bits: Int) throws {
        for (width, height, isDrawn) in [
            (65535, 32000, true), (32000, 65535, true), (65535, 65535, false), (65536, 1, false), (1, 65536, false), (0, 10, false),
            (10, 0, false), (-5, 10, false), (.max, .max, false), (1, 65535, bits == 8), (65535, 1, bits == 8),
        ] {
            var page = ScanPage(samples: [0xf0], width: width, height: height, bits: bits)
            page.page = (200, 200)
            let isOneRow = min(width, height) == 1
            guard !isOneRow else {
                // An image that is shrunk in one direction and enlarged in the other is not drawn as a scan.
                #expect(try !ScanDrawing.isScan(page))
                continue
            }
            #expect(try ScanDrawing.isScan(page) == isDrawn, "\(width)x\(height)")
        }
    }

    @Test func onePixelIsAScanOfItsOwn() throws {
        var page = ScanPage(samples: [77], width: 1, height: 1)
        page.page = (1, 1)
        #expect(try ScanDrawing.isScan(page, longSide: 1))
        #expect(try ScanDrawing(page, longSide: 1).drawn[0, 0] == 0x4d4d4d)
        #expect(try ScanDrawing(page, longSide: 9).difference < 1)
    }

    /// A PDF with damaged bytes is drawn as by poppler itself, or refused; after that, the intact PDF is drawn as before.
    @Test func spoiledBytesDoNoHarm() throws {
        var numbers = SeededGenerator(seed: 22)
        let whole = ScanPage.blocks(60, 80, seed: 23).bilevel.pdf.bytes
        let before = try ScanDrawing(whole, longSide: 120)
        var scans = 0
        for _ in 0..<150 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let raster = Raster()
            guard let document = try? Drawing.document(bytes),
                let damage = try? document.draw(page: 0, longSide: 120, into: raster)
            else { continue }
            #expect(max(raster.width, raster.height) == 120)
            guard damage.isEmpty, try ScanDrawing.isScan(bytes, longSide: 120) else { continue }
            scans += 1
            #expect(try ScanDrawing(bytes, longSide: 120).difference < 1.5)
        }
        #expect(scans > 3, "or nothing was tried")
        let after = try ScanDrawing(whole, longSide: 120)
        for y in 0..<after.drawn.height {
            #expect((0..<after.drawn.width).allSatisfy { after.drawn[$0, y] == before.drawn[$0, y] })
        }
    }
}
