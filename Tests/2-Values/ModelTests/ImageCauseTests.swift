import Testing

@testable import Model

/// Why an image is made, by what is remembered of the one before.
@Suite(.timeLimit(.minutes(60)))
struct ImageCauseTests {
    private static let fonts = (FontSet(SHA256.digest(of: "fonts")), FontSet(SHA256.digest(of: "others")))

    /// Everything that an image of one page may be made from.
    struct Form: Sendable {
        var tag = "poppler-1"
        var fonts = ImageCauseTests.fonts.0
        var needsFonts = false
        var variant = Variant.annotated
        var settings = RenderSettings(fullSize: 800)
        /// What each layer draws.
        var layers: [String: String] = ["ann": "x", "ben": "y"]
        var knowsLayers = true

        var inputs: ImageInputs {
            let text = layers.keys.sorted().map { $0 + layers[$0, default: ""] }.joined()
            return ImageInputs(
                renderer: RendererIdentity(tag: RendererTag(tag), fonts: fonts), chart: ChartHash(SHA256.digest(of: "chart")),
                chartNeedsFonts: needsFonts, page: PageIndex(1), variant: variant, settings: settings,
                marks: MarkDigest(SHA256.digest(of: text)))
        }

        var makings: ImageMakings {
            let parts = layers.keys.sorted().map {
                ImageMakings.LayerPart(LayerID($0), MarkDigest(SHA256.digest(of: layers[$0, default: ""])))
            }
            return ImageMakings(inputs, layers: knowsLayers ? parts : nil)
        }

        func record(_ fate: ImageFate = .made, isRemembered: Bool = true) -> ImageRecord {
            ImageRecord(
                name: ImageName(inputs), renderer: inputs.rendererName, fate: fate, size: ByteCount(1), at: Timestamp(nanoseconds: 0),
                origin: isRemembered ? ImageOrigin(makings, causes: [.forgotten]) : nil)
        }

        func with(_ change: (inout Form) -> Void) -> Form {
            var form = self
            change(&form)
            return form
        }

        func causes(after former: ImageRecord?, _ circumstances: ImageCause.Circumstances = .init()) -> [ImageCause] {
            ImageCause.causes(of: ImageName(inputs), makings, renderer: inputs.rendererName, former: former, circumstances)
        }
    }

    private static let usual = Form()
    private static let text = usual.with { $0.needsFonts = true }
    private let plan = PlanID("p")

    @Test func aFirstImageIsForAPlanAReplacedChartOrFirstMarks() {
        let usual = Self.usual
        let plain = usual.with { $0.variant = .plain }
        for form in [usual, plain] {
            #expect(form.causes(after: nil, .init(plan: plan)) == [.firstNeeded(by: plan)])
            #expect(form.causes(after: nil) == [.firstNeeded(by: nil)])
            #expect(form.causes(after: nil, .init(plan: plan, isReplacement: true)) == [.chartReplaced])
        }
        #expect(usual.causes(after: nil, .init(plan: plan, hasPlain: true, isReplacement: true)) == [.firstMarks])
        #expect(plain.causes(after: nil, .init(plan: plan, hasPlain: true)) == [.firstNeeded(by: plan)])
    }

    @Test(arguments: [
        (ImageFate.made, MissReason.vanished), (.vanished, .vanished), (.trimmed, .trimmed), (.cleared, .cleared), (.corrupt, .corrupt),
    ])
    func theSameImageIsMadeAgainForWhatBecameOfIt(fate: ImageFate, reason: MissReason) {
        #expect(Self.usual.causes(after: Self.usual.record(fate), .init(plan: plan, hasPlain: true)) == [.again(reason)])
        #expect(Self.usual.causes(after: Self.usual.record(fate, isRemembered: false)) == [.again(reason)])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var former = usual
        let change: @Sendable (inout Form) -> Void
        let causes: [ImageCause]

        init(_ name: String, from former: Form = usual, _ causes: [ImageCause], _ change: @escaping @Sendable (inout Form) -> Void) {
            (testDescription, self.former, self.causes, self.change) = (name, former, causes, change)
        }
    }

    private static func layers(_ changes: (String, ImageCause.LayerChange.Kind)...) -> ImageCause {
        .marks(layers: changes.map { .init(LayerID($0.0), $0.1) })
    }

    static let cases = [
        Case("a layer changed", [layers(("ann", .changed))]) { $0.layers["ann"] = "z" },
        Case("a layer came", [layers(("cat", .came))]) { $0.layers["cat"] = "z" },
        Case("a layer went", [layers(("ben", .went))]) { $0.layers["ben"] = nil },
        Case("all at once", [layers(("ann", .changed), ("ben", .went), ("cat", .came))]) { $0.layers = ["ann": "z", "cat": "y"] },
        Case("nobody knows whose", [.marks(layers: nil)]) { ($0.layers["ann"], $0.knowsLayers) = ("z", false) },
        Case("nobody knew whose", from: usual.with { $0.knowsLayers = false }, [.marks(layers: nil)]) {
            ($0.layers["ann"], $0.knowsLayers) = ("z", true)
        },
        Case("renderer", [.renderer]) { $0.tag = "poppler-2" },
        Case("renderer and fonts", from: text, [.renderer]) { ($0.tag, $0.fonts) = ("poppler-2", fonts.1) },
        Case("fonts", from: text, [.fonts]) { $0.fonts = fonts.1 },
        Case("fonts that it did not need", [.forgotten]) { $0.needsFonts = true },
        Case("size", [.size]) { $0.settings.fullSize = 900 },
        Case("size that a small one is made from", from: usual.with { $0.variant = .thumbnail }, [.size]) { $0.settings.fullSize = 900 },
        Case("paper", [.paper]) { $0.settings.paper = Color(red: 1, green: 2, blue: 3) },
        Case("several", [.renderer, .size, layers(("ann", .changed))]) {
            ($0.tag, $0.settings.fullSize, $0.layers["ann"]) = ("poppler-2", 900, "z")
        },
    ]

    @Test(arguments: cases) func whatIsDifferentIsTheCause(_ each: Case) {
        let now = each.former.with(each.change)
        for fate in ImageFate.allCases { #expect(now.causes(after: each.former.record(fate), .init(plan: plan)) == each.causes) }
        // From a time when nobody wrote it down.
        let known = each.causes.filter { $0 == .renderer || $0 == .fonts }
        #expect(now.causes(after: each.former.record(isRemembered: false)) == (known.isEmpty ? [.forgotten] : known))
    }

    @Test func theSameMarksInAnotherOrderAreNobodysChange() throws {
        var record = Self.usual.record()
        record.origin?.makings.marks = "other"
        let other = Self.usual.with { $0.settings.fullSize = 900 }
        #expect(other.causes(after: record) == [.size, .order])
    }

    @Test func partsAreOnlyWhatIsDrawnOnThePage() {
        func mark(_ page: Int, width: Double = 0.1) -> Mark {
            Mark(id: "m", page: PageIndex(page), kind: .pen, width: width, points: [.init(x: 0, y: 0)])
        }
        let attachment = AttachmentID("a")
        let layers = [
            Layer(id: LayerID("z"), attachment: attachment, marks: [mark(0), mark(1)]),
            Layer(id: LayerID("b"), attachment: attachment, marks: [mark(1)]),
            Layer(id: LayerID("c"), attachment: attachment, marks: [mark(0)]),
            Layer(id: LayerID("d"), attachment: attachment, marks: [mark(1, width: 0)]),
        ]
        let parts = ImageMakings.parts(of: layers, on: PageIndex(1))
        #expect(parts.map(\.layer.text) == ["b", "z"])
        #expect(parts[0].digest == parts[1].digest)
    }
}
