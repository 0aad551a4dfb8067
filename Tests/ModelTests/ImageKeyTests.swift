import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ImageKeyTests {
    private static let chart = ChartHash(SHA256.digest(of: "chart"))
    private static let marks = MarkDigest(SHA256.digest(of: "marks"))

    private func inputs(
        tag: String = "t", chart: ChartHash = chart, page: Int = 0, variant: Variant = .plain, size: Int = 100, thumbnailSize: Int = 10,
        marks: MarkDigest? = nil
    ) -> ImageInputs {
        ImageInputs(
            tag: RendererTag(tag), chart: chart, page: PageIndex(page), variant: variant,
            settings: RenderSettings(fullSize: size, thumbnailSize: thumbnailSize), marks: marks)
    }

    @Test func everyInputChangesTheKey() {
        let keys = [
            inputs(), inputs(tag: "u"), inputs(chart: ChartHash(SHA256.digest(of: "other"))), inputs(page: 1), inputs(size: 101),
            inputs(variant: .thumbnail), inputs(variant: .thumbnail, size: 101), inputs(variant: .thumbnail, thumbnailSize: 11),
            inputs(variant: .annotated, marks: Self.marks),
        ].map(\.key)
        #expect(Set(keys).count == keys.count)
    }

    @Test func annotatedPageWithoutMarksIsThePlainOne() {
        #expect(inputs(variant: .annotated).key == inputs().key)
        #expect(ImageName(inputs(variant: .annotated)) == ImageName(inputs()))
    }

    @Test func marksMatterToTheAnnotatedVariantOnly() {
        #expect(inputs(variant: .plain, marks: Self.marks).key == inputs().key)
        #expect(inputs(variant: .thumbnail, marks: Self.marks).key == inputs(variant: .thumbnail).key)
    }

    @Test func namesReadBack() {
        for variant in Variant.allCases {
            let name = ImageName(inputs(page: 12, variant: variant, marks: Self.marks))
            #expect(ImageName(folder: name.chart, file: name.file) == name)
        }
    }

    @Test(arguments: [
        "x.png", "0-plain-abc.png", "00-plain-00000000000000000000000000000000.png", "-1-plain-00000000000000000000000000000000.png",
        "0-plain-00000000000000000000000000000000.jpg", "0-odd-00000000000000000000000000000000.png", ".tmp-12-1",
        "0-plain-0000000000000000000000000000000G.png",
    ])
    func foreignFilesHaveNoName(file: String) {
        #expect(ImageName(folder: Self.chart.digest.shortHex, file: file) == nil)
    }
}
