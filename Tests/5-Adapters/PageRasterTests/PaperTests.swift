import DemoScores
import Model
import PagePNG
import TestSupport
import Testing

@testable import PageRaster

/// The content of a page does not blend with the paper that the page is shown on.
@Suite(.timeLimit(.minutes(5)))
struct PaperTests {
    private typealias RGB = BlendFormulas.RGB
    private static let below = RGB(0.8, 0.4, 0.2)
    private static let above = RGB(0.2, 0.6, 0.4)

    private static func fill(_ color: RGB, _ x: Int) -> String { "\(color.x) \(color.y) \(color.z) rg \(x) 0 100 100 re f " }

    private static func state(_ entries: String) -> String { "/ExtGState << /M << \(entries) >> /Half << /ca 0.5 >> /Whole << /ca 1 >> >>" }

    /// A row of three squares of one colour: over another colour, over that other colour half transparent, and over nothing.
    private static let squares =
        fill(below, 0) + "/Half gs " + fill(below, 100) + "/Whole gs /M gs " + fill(above, 0) + fill(above, 100) + fill(above, 200)

    private static func page(resources: String, _ content: String) -> TestPDF {
        var pdf = TestPDF()
        pdf.addPage(width: 400, height: 100, resources: resources, content)
        return pdf
    }

    private static func drawn(_ pdf: TestPDF, paper: Color = .white) throws -> Raster {
        let raster = Raster()
        #expect(try Drawing.document(pdf).draw(page: 0, longSide: 400, paper: paper, into: raster) == [])
        return raster
    }

    private static func asksForPaper(_ pdf: TestPDF) throws -> Bool { try Drawing.document(pdf).asksForPaper(page: 0) }

    private static func isNear(_ pixel: UInt32, _ color: RGB) -> Bool {
        let shown = RGB(Double(pixel >> 16 & 255), Double(pixel >> 8 & 255), Double(pixel & 255))
        let off = shown - color * 255
        // Rounding is allowed: cairo computes in bytes, and poppler passes colours in bytes.
        return max(off.max(), -off.min()) <= 2
    }

    @Test(arguments: BlendFormulas.modes.indices)
    func colorsMixAsInTheSpecification(index: Int) throws {
        let (name, blend) = BlendFormulas.modes[index]
        let blended = blend(Self.below, Self.above)
        let pdf = Self.page(resources: Self.state("/BM /\(name)"), Self.squares)
        for paper in [Color.white, Color(red: 255, green: 240, blue: 200)] where paper == .white || name != "Multiply" {
            let page = try Self.drawn(pdf, paper: paper)
            #expect(Self.isNear(page[50, 50], blended), "\(name)")
            #expect(Self.isNear(page[150, 50], (Self.above + blended) / 2), "\(name) on what is half transparent")
            #expect(Self.isNear(page[250, 50], Self.above), "\(name) on nothing")
            #expect(page[350, 50] == (paper == .white ? 0xffffff : 0xfff0c8))
        }
    }

    @Test func groupsThatKnockOutLeaveThePaperAlone() throws {
        var pdf = TestPDF()
        let mask = pdf.add(TestPDF.form("1 g 0 0 400 100 re f", entries: "/Group << /S /Transparency /CS /DeviceGray >>"))
        let group = pdf.add(
            TestPDF.form(
                "/Masked gs /Unmasked gs 1 0 0 rg 0 0 100 100 re f",
                resources: "/ExtGState << /Masked << /SMask << /S /Luminosity /G \(mask) 0 R >> >> /Unmasked << /SMask /None >> >>",
                entries: "/Group << /S /Transparency /CS /DeviceRGB /K true >>"))
        pdf.addPage(width: 400, height: 100, resources: "/XObject << /X \(group) 0 R >>", "/X Do")
        let page = try Self.drawn(pdf)
        #expect(page[50, 50] == 0xff0000)
        #expect(page[250, 50] == 0xffffff)
    }

    /// Pages with the usual way of blending are painted directly on paper. So are pages that multiply colours, because multiplying with
    /// white paper changes nothing.
    @Test(arguments: ["", "/BM /Normal", "/BM /Compatible", "/BM /Multiply", "/BM [/Multiply /Normal]", "/ca 0.5", "/SMask /None", "/BM 7"])
    func ordinaryPagesArePaintedOnPaper(entries: String) throws {
        let pdf = Self.page(resources: Self.state(entries), Self.squares)
        #expect(try !Self.asksForPaper(pdf))
    }

    @Test func noScoreAsksForPaper() throws {
        for score in (0..<demo_scores_count).map({ woodshed_demo_scores()[$0] }) where String(cString: score.kind) == "chart" {
            let document = try Drawing.document(Array(UnsafeBufferPointer(start: score.bytes, count: score.length)))
            for page in 0..<document.pageCount {
                #expect(try !document.asksForPaper(page: page), "\(String(cString: score.name)), \(page)")
            }
        }
    }

    @Test func whatIsPaintedOnPaperIsAsCairoPaintsIt() throws {
        let pdf = Self.page(resources: Self.state("/BM /Multiply"), Self.squares)
        #expect(try ScanDrawing(pdf.bytes, longSide: 400).greatest == 0)
    }

    /// The places that can name a blend mode. Each adds objects to a PDF, and returns the resources that lead to the mode.
    private static let places: [(what: String, resources: @Sendable (inout TestPDF) -> String)] = [
        ("several modes", { _ in state("/BM [/Multiply /Overlay]") }),
        (
            "a form in a form",
            { pdf in
                let inner = form(&pdf)
                return "/XObject << /X \(pdf.add(TestPDF.form("", resources: "/XObject << /Y \(inner) 0 R >>"))) 0 R >>"
            }
        ),
        (
            "a pattern",
            { pdf in
                let pattern = TestPDF.form("", resources: state("/BM /Hue"), entries: "/PatternType 1")
                return "/Pattern << /P \(pdf.add(pattern)) 0 R >>"
            }
        ),
        ("a font of drawings", { _ in "/Font << /F << /Type /Font /Subtype /Type3 /Resources << \(state("/BM /Hue")) >> >> >>" }),
        ("a mask", { pdf in "/ExtGState << /E << /SMask << /S /Alpha /G \(form(&pdf)) 0 R >> >> >>" }),
        ("an annotation", { pdf in ">> /Annots [<< /Type /Annot /AP << /N \(form(&pdf)) 0 R >> >>] /Also <<" }),
        ("a state of an annotation", { pdf in ">> /Annots [<< /Type /Annot /AP << /N << /On \(form(&pdf)) 0 R >> >> >>] /Also <<" }),
        (
            "a group that knocks out",
            { pdf in "/XObject << /X \(pdf.add(TestPDF.form("", entries: "/Group << /S /Transparency /K true >>"))) 0 R >>" }
        ),
    ]

    private static func form(_ pdf: inout TestPDF) -> Int { pdf.add(TestPDF.form("", resources: state("/BM /SoftLight"))) }

    @Test(arguments: places.indices)
    func modesAreFoundWhereverTheyAreNamed(index: Int) throws {
        let (what, resources) = Self.places[index]
        var pdf = TestPDF()
        pdf.addPage(resources: resources(&pdf))
        #expect(try Self.asksForPaper(pdf), "\(what)")
    }

    /// Forms that contain themselves and each other, with countless paths through them.
    @Test func resourcesThatLeadBackAreLookedThroughOnce() throws {
        for (mode, isFound) in [("Multiply", false), ("Difference", true)] {
            var pdf = TestPDF()
            let first = 3
            let numbers = first..<(first + 60)
            let all = numbers.map { "/X\($0) \($0) 0 R" }.joined(separator: " ")
            for number in numbers {
                let isLast = number == numbers.last
                let added = pdf.add(TestPDF.form("", resources: "/XObject << \(all) >> \(isLast ? Self.state("/BM /\(mode)") : "")"))
                #expect(added == number)
            }
            pdf.addPage(resources: "/XObject << /X \(first) 0 R >>")
            #expect(try Self.asksForPaper(pdf) == isFound)
        }
        #expect(try !Self.asksForPaper(.endless))
    }

    @Test func nobodyLooksThroughResourcesWithoutEnd() throws {
        var pdf = TestPDF()
        let states = (0..<2000).map { "/E\($0) << /ca 0.5 >>" }.joined(separator: " ")
        pdf.addPage(resources: "/ExtGState << \(states) >>")
        #expect(try Self.asksForPaper(pdf))
    }

    @Test func grayPagesRemainGray() throws {
        let content = "0.8 g 0 0 200 100 re f /M gs /Half gs 0.3 g 100 0 200 100 re f"
        let page = try Self.drawn(Self.page(resources: Self.state("/BM /Exclusion"), content))
        let plain = try PNGEncoder().encode(page, key: Drawing.key)
        #expect(PNGImage(plain)?.channels == 1)
        let mark = Mark(id: "a", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.9, y: 0.9)])
        let annotated = try plain.withUnsafeBytes { bytes in
            try PageComposer().compose(try #require(BandedPNG(bytes)), marks: [mark], key: Drawing.key, on: Raster()).png
        }
        let expected = Raster()
        try expected.copy(page)
        _ = try expected.paint([mark])
        #expect(try PNGImage(annotated) == PNGImage(PNGEncoder().encode(expected, key: Drawing.key)))
    }
}
