import TestSupport
import Testing

@testable import BenchmarkCorpus

@Suite(.timeLimit(.minutes(5)))
struct PageClassTests {
    private static let page = EmbeddedImage(width: 1405, height: 1987, isBilevel: false)
    private static let bilevel = EmbeddedImage(width: 2480, height: 3508, isBilevel: true)
    private static let logo = EmbeddedImage(width: 120, height: 80, isBilevel: true)

    @Test(arguments: [
        ([], 3, true, PageClass.engraved), ([], 3, false, .other), ([page], 1, true, .grayScan), ([page], 1, false, .colourScan),
        ([bilevel, bilevel], 2, true, .bilevelScan), ([bilevel, logo], 1, true, .bilevelScan), ([page, bilevel], 2, true, .other),
        ([page, bilevel], 2, false, .other), ([page], 2, false, .other),
        ([logo], 1, true, .other), ([page], 2, true, .other), ([page, logo], 1, true, .grayScan),
    ])
    func classFollowsFromImagesAndColour(images: [EmbeddedImage], pageCount: Int, isGray: Bool, kind: PageClass) {
        #expect(PageClass(images: images, pageCount: pageCount, isGray: isGray) == kind)
    }

    @Test func imagesAreFoundAmongTheBytes() {
        let pdf = """
            %PDF-1.4
            3 0 obj << /Type /XObject /Subtype /Image /Width 1405 /Height 1987 /ColorSpace /DeviceGray /BitsPerComponent 8
            /Filter /DCTDecode /Length 3 >>
            stream
            abc
            endstream endobj
            4 0 obj <</BitsPerComponent 1/Height 3508/Width 2480/Subtype/Image/Length 3>> stream
            abc
            endstream endobj
            5 0 obj << /Subtype
            /Image /Width 40 /Height 30 /Filter [/FlateDecode /JBIG2Decode] >> stream
            """
        #expect(
            EmbeddedImage.all(in: Array(pdf.utf8)) == [
                Self.page, Self.bilevel, EmbeddedImage(width: 40, height: 30, isBilevel: true),
            ])
    }

    @Test(arguments: [
        "/Subtype /ImageMask", "/Subtype /Form /Width 10 /Height 10", "/Subtype /Image /Width 10 /Height 10",
        "1 0 obj <</Subtype /Image /Width 99999999999 /Height 10>> stream", "1 0 obj <</Subtype /Image>> stream", "/Subtype", "",
    ])
    func whatIsNoImageIsNone(text: String) {
        #expect(EmbeddedImage.all(in: Array(text.utf8)).isEmpty)
    }

    @Test func demoHasScansOfBothKinds() throws {
        let scratch = TemporaryFolder()
        let charts = try CorpusChart.demo(in: scratch.path)
        func images(_ name: String) -> [EmbeddedImage] { charts.first { $0.name == name }?.images ?? [] }
        #expect(images("old-songbook-scan").map(\.isBilevel) == [false, false])
        #expect(images("simple-gifts-scan-g4").map(\.isBilevel) == [true])
        #expect(charts.count { $0.images.isEmpty } == charts.count - 2)
    }
}
