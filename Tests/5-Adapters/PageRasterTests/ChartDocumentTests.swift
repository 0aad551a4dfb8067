import Model
import PageRaster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChartDocumentTests {
    @Test(arguments: [2732, 1000, 320, 33, 1])
    func longSideIsExactForEveryShapeOfPage(size: Int) throws {
        var pdf = TestPDF()
        pdf.addPage()
        pdf.addPage(width: 842, height: 595)
        pdf.addPage(rotation: 90)
        pdf.addPage(crop: (left: 100, bottom: 100, right: 333.3, top: 777.7))
        pdf.addPage(width: 612.345, height: 611.999, rotation: 270)
        pdf.addPage(width: 3000, height: 2)
        let document = try Drawing.document(pdf)
        #expect(document.pageCount == 6)
        let raster = Raster()
        for page in 0..<document.pageCount {
            #expect(try document.draw(page: page, longSide: size, into: raster).isEmpty)
            let geometry = try document.geometry(of: page)
            #expect(max(raster.width, raster.height) == size, "page \(page)")
            #expect((raster.width, raster.height) == geometry.pixels(longSide: size), "page \(page)")
        }
    }

    @Test func pageIsMeasuredAsItIsDisplayed() throws {
        var pdf = TestPDF()
        pdf.addPage(width: 600, height: 800, crop: (left: 100, bottom: 200, right: 400, top: 700), rotation: 90)
        #expect(try Drawing.document(pdf).geometry(of: 0) == PageGeometry(width: 500, height: 300))
    }

    @Test func croppedAndRotatedContentIsWhereItBelongs() throws {
        var pdf = TestPDF()
        // Red fills the lower half of the crop box; turned clockwise, that is the left half of the page.
        pdf.addPage(
            width: 600, height: 800, crop: (left: 100, bottom: 200, right: 400, top: 700), rotation: 90,
            "1 0 0 rg 100 200 300 250 re f")
        let raster = Raster()
        _ = try Drawing.document(pdf).draw(page: 0, longSide: 500, into: raster)
        #expect(raster.width == 500 && raster.height == 300)
        #expect(raster[10, 10] == 0xff0000 && raster[240, 290] == 0xff0000)
        #expect(raster[260, 10] == 0xffffff && raster[490, 290] == 0xffffff)
    }

    @Test func pagesAreDrawnOnWhiteWhateverTheRasterShowed() throws {
        var pdf = TestPDF()
        pdf.addPage()
        let raster = try Drawing.blank(707, 1000, 0x123456)
        _ = try Drawing.document(pdf).draw(page: 0, longSide: 1000, into: raster)
        #expect((0..<raster.height).allSatisfy { y in (0..<raster.width).allSatisfy { raster[$0, y] == 0xffffff } })
    }

    /// A warning is needed, because the page looks blank although its content may only be damaged.
    @Test func missingContentOfAPageIsReported() throws {
        var pdf = TestPDF()
        let box = "/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]"
        let rubbish = pdf.add("<< /Length 8 /Filter /FlateDecode >>\nstream\nrubbish!\nendstream")
        for contents in ["", "/Contents 99 0 R", "/Contents \(rubbish) 0 R"] {
            pdf.kids.append("\(pdf.add("<< \(box) \(contents) >>")) 0 R")
        }
        pdf.addPage("0 0 100 100 re f")
        let document = try Drawing.document(pdf)
        let raster = Raster()
        let warnings = try (0..<4).map { try document.draw(page: $0, longSide: 100, into: raster) }
        #expect(warnings == [[], [PageDamage.contentMissing], [], []], "messages of poppler itself are distinguished")
    }

    @Test func whatIsNoPDFIsUnreadable() {
        for bytes in [[], Array("%PDF-1.4\nnothing more".utf8), Array("GIF89a".utf8)] {
            let failure = #expect(throws: RasterFailure.self) { try Drawing.document(bytes) }
            guard case .unreadable = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }

    @Test func encryptedPDFIsReported() {
        var pdf = TestPDF.halfBlack
        pdf.encrypt()
        let bytes = pdf.bytes
        #expect(throws: RasterFailure.encrypted) { try Drawing.document(bytes) }
    }

    @Test func aPDFWithoutPagesIsReported() {
        #expect(throws: RasterFailure.noPages) { try Drawing.document(TestPDF()) }
    }

    @Test func pagesBeyondTheEndAreNotThere() throws {
        let document = try Drawing.document(.halfBlack)
        for page in [-1, 1, .max] {
            #expect(throws: RasterFailure.noSuchPage(page)) { try document.geometry(of: page) }
        }
    }

    @Test func imagesOfTooManyPixelsAreRefused() throws {
        let document = try Drawing.document(.halfBlack)
        #expect(throws: RasterFailure.tooLarge(width: 8480, height: 12000)) {
            try document.draw(page: 0, longSide: 12000, into: Raster())
        }
        for size in [.min, 0, 32768, .max] {
            #expect(throws: RasterFailure.self) { try document.draw(page: 0, longSide: size, into: Raster()) }
        }
    }

    @Test func tagNamesWhatChangesPixels() {
        let text = RendererTag.raster.text
        #expect(text.hasPrefix("raster-"))
        for library in [" poppler-", " cairo-", " pango-"] { #expect(text.contains(library)) }
    }
}
