import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ImageKeyTests {
    private static let chart = ChartHash(SHA256.digest(of: "chart"))
    private static let marks = MarkDigest(SHA256.digest(of: "marks"))
    private static let text = MarkDigest(SHA256.digest(of: "text"), showsText: true)

    private func inputs(
        tag: String = "t", fonts: String = "f", chart: ChartHash = chart, needsFonts: Bool = false, page: Int = 0,
        variant: Variant = .plain, size: Int = 100, thumbnailSize: Int = 10, paper: Color = .white, marks: MarkDigest? = nil
    ) -> ImageInputs {
        ImageInputs(
            renderer: RendererIdentity(tag: RendererTag(tag), fonts: FontSet(SHA256.digest(of: fonts))), chart: chart,
            chartNeedsFonts: needsFonts, page: PageIndex(page), variant: variant,
            settings: RenderSettings(fullSize: size, thumbnailSize: thumbnailSize, paper: paper), marks: marks)
    }

    @Test func everyInputChangesTheKey() {
        let cream = Color(red: 255, green: 248, blue: 231)
        let keys = [
            inputs(), inputs(tag: "u"), inputs(chart: ChartHash(SHA256.digest(of: "other"))), inputs(page: 1), inputs(size: 101),
            inputs(needsFonts: true), inputs(fonts: "g", needsFonts: true), inputs(paper: cream),
            inputs(variant: .thumbnail), inputs(variant: .thumbnail, size: 101), inputs(variant: .thumbnail, thumbnailSize: 11),
            inputs(needsFonts: true, variant: .thumbnail), inputs(variant: .thumbnail, paper: cream),
            inputs(variant: .annotated, marks: Self.marks), inputs(needsFonts: true, variant: .annotated, marks: Self.marks),
            inputs(variant: .annotated, marks: Self.text), inputs(fonts: "g", variant: .annotated, marks: Self.text),
            inputs(variant: .annotated, paper: cream, marks: Self.text),
        ].map(\.key)
        #expect(Set(keys).count == keys.count)
    }

    @Test func aFontThatComesOrGoesChangesOnlyWhatNeedsFonts() {
        for variant in Variant.allCases {
            for marks in [nil, Self.marks, Self.text] {
                for needsFonts in [false, true] {
                    let before = inputs(needsFonts: needsFonts, variant: variant, marks: marks)
                    let after = inputs(fonts: "g", needsFonts: needsFonts, variant: variant, marks: marks)
                    let mayDiffer = needsFonts || variant == .annotated && marks == Self.text
                    #expect((before.key != after.key) == mayDiffer)
                    #expect((before == after) == !mayDiffer)
                }
            }
        }
    }

    /// Files keep these names for years. If keys have to change, raise the number in the first line of the hashed bytes.
    @Test func keysStayWhatTheyAre() {
        let keys = [
            inputs(), inputs(needsFonts: true, page: 3, variant: .thumbnail), inputs(variant: .annotated, paper: .black, marks: Self.text),
        ].map(\.key.description)
        #expect(
            keys == [
                "459ae57f3674f6bf6fd235c2aa81ee22", "7278d15e30345dfe687c3d099661f076", "19dfea7d3710f6cc38c42cad3e9953c3",
            ])
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
