import Glibc
import Model
import PageRaster
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ContentsTests {
    private func font(_ name: String) -> String { "<< /Type /Font /Subtype /Type1 /BaseFont /\(name) >>" }

    @Test func fontsThatAreNotEmbeddedAreNamed() throws {
        var pdf = TestPDF()
        pdf.addPage(resources: "/Font << /A \(font("Helvetica")) /B \(font("Times-Roman")) >>", "BT /A 12 Tf (a) Tj ET")
        pdf.addPage(resources: "/Font << /A \(font("Courier")) >>")
        #expect(try Set(Drawing.document(pdf).fontsNotEmbedded()) == ["Helvetica", "Times-Roman", "Courier"])
        #expect(try Drawing.document(.halfBlack).fontsNotEmbedded().isEmpty)
    }

    @Test func fontsOfFormsAreFound() throws {
        var pdf = TestPDF()
        let form = pdf.add(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /A \(font("Symbol")) >> >> /Length 0 >>\nstream\n\nendstream"
        )
        pdf.addPage(resources: "/XObject << /X \(form) 0 R >>", "/X Do")
        #expect(try Drawing.document(pdf).fontsNotEmbedded() == ["Symbol"])
    }

    @Test func fontsThatDrawThemselvesNeedNone() throws {
        var pdf = TestPDF()
        let glyph = pdf.add("<< /Length 22 >>\nstream\n500 0 d0 0 0 9 9 re f  \nendstream")
        let type3 = """
            << /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 97 /LastChar 97 /Widths [9] \
            /Encoding << /Type /Encoding /Differences [97 /a] >> /CharProcs << /a \(glyph) 0 R >> >>
            """
        pdf.addPage(resources: "/Font << /A \(type3) >>", "BT /A 12 Tf (a) Tj ET")
        #expect(try Drawing.document(pdf).fontsNotEmbedded().isEmpty)
    }

    @Test func aFormThatShowsItselfDoesNotKeepTheSearch() throws {
        #expect(try Drawing.document(.endless).fontsNotEmbedded().isEmpty)
    }

    @Test(arguments: [
        ("<< /Subtype /Image >>", true), ("<</Subtype/Image/Width 1>>", true), ("/ImageB /ImageC /ImageI", false), ("Image", false),
        ("/Imag", false), ("", false), ("//Image /ImageMask", true), ("/ImageMask //", false), ("x/Image", true),
    ])
    func imagesAreFoundByName(text: String, expected: Bool) throws {
        let folder = TemporaryFolder()
        try AtomicFile.write(text, to: folder.path("x"))
        let file = try Descriptor.open(folder.path("x"), O_RDONLY)
        #expect(ChartDocument.mayHoldImages(descriptor: file.number) == expected)
    }

    @Test func pagesAreDrawnOnTheirPaper() throws {
        let raster = Raster()
        let cream = Color(red: 255, green: 248, blue: 231)
        _ = try Drawing.document(.halfBlack).draw(page: 0, longSide: 842, paper: cream, into: raster)
        #expect(raster[100, 400] == 0)
        #expect((300..<595).allSatisfy { raster[$0, 400] == 0xfff8e7 })
    }
}
