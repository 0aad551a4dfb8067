import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Annotations of PDFs as marks: our own become the same marks again, and other programs' become marks that look the same.
@Suite(.onLoop)
struct AnnotationImportTests {
    private let bench: Bench

    @LoopActor init() { bench = Bench() }

    @LoopActor
    private func found(in pdf: TestPDF) async throws -> ImportedMarks {
        try await bench.pool.annotations(of: bench.chart(pdf, name: "annotated.pdf"), in: .live)
    }

    /// A page with annotations, each a separate object of the PDF.
    private static func page(
        _ annotations: [String], entries: String = "/MediaBox [0 0 500 1000]", list: String? = nil, pdf: TestPDF = TestPDF()
    ) -> TestPDF {
        var pdf = pdf
        let numbers = annotations.map { pdf.add("<< /Type /Annot \($0) >>") }
        let list = list ?? "[" + numbers.map { "\($0) 0 R" }.joined(separator: " ") + "]"
        pdf.kids.append("\(pdf.add("<< /Type /Page /Parent 2 0 R \(entries) /Annots \(list) >>")) 0 R")
        return pdf
    }

    // MARK: - Our own

    /// One mark of each tool, with all the digits that are stored.
    private static let marks: [Mark] = {
        var pressed = Mark(
            id: "", page: PageIndex(0), kind: .pen, width: 0.004,
            points: [
                Mark.Point(x: 0.1, y: 0.1, width: 0.00213), Mark.Point(x: 0.31415, y: 0.2, width: 0.005), Mark.Point(x: 0.4, y: 0.3),
            ])
        pressed.cap = .butt
        var set = Mark(
            id: "", page: PageIndex(0), kind: .text, color: Color(red: 1, green: 2, blue: 3, alpha: 77),
            points: [Mark.Point(x: 0.2, y: 0.4)], text: "ein sehr ♭ langer (Text)\nund \\ noch einer", setting: .init(size: 0.03))
        (set.setting.wrap, set.setting.alignment, set.setting.isJustified) = (0.3, .right, true)
        return PDFTests.marks.map(bare) + [pressed, set]
    }()

    /// A mark without the fields that annotations do not keep.
    private static func bare(_ mark: Mark) -> Mark {
        var mark = mark
        mark.id = ""
        if mark.kind == .text { mark.width = 0.002 }
        if mark.kind == .eraser {
            return Mark(id: "", page: mark.page, kind: .eraser, width: mark.width, points: mark.points)
        }
        return mark
    }

    @Test(arguments: [0, 90, 180, 270], ["", "/CropBox [50 80 455 620]", "/CropBox [-20 -20 400 600] /UserUnit 2.5"])
    @LoopActor func whatWasExportedComesBack(rotation: Int, entries: String) async throws {
        let pdf = Self.page([], entries: "/MediaBox [-10.5 20 500 700] /Rotate \(rotation) \(entries)")
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        _ = try await bench.pool.part(
            PartJob(chart: bench.chart(pdf), marks: Self.marks, form: .annotations, longSide: 900, output: file.descriptor), in: .live)
        let path = bench.folder.path("exported.pdf")
        try file.publish(as: path, durability: .none)
        let found = try await bench.pool.annotations(of: path, in: .live)
        #expect(found.leftOut.isEmpty)
        try #require(found.marks.count == Self.marks.count)
        for (mark, wanted) in zip(found.marks, Self.marks) { #expect(Self.bare(mark) == wanted) }
        await bench.pool.stop()
    }

    // MARK: - Other programs' annotations

    @Test @LoopActor func eachKindBecomesTheMarkThatItLooksLike() async throws {
        let red = "/C [1 0 0]"
        let marks = try await found(
            in: Self.page([
                "/Subtype /Ink /Rect [0 0 9 9] \(red) /CA 0.5 /BS << /W 5 >> /InkList [[50 900 100 800] [250 500 (x)] [250 500]]",
                "/Subtype /Highlight /QuadPoints [50 900 150 900 50 880 150 880 50 700 60 700 60 800 50 800] /C [1 1 0]",
                "/Subtype /Line /L [0 0 500 1000] /Border [0 0 2]", "/Subtype /PolyLine /Vertices [0 0 50 100 100 0] /C [0.5]",
                "/Subtype /Polygon /Vertices [0 0 50 100 100 0] /C [0 1 1 0] /IC [0 0 1] /BS << /W 1 /S /D /D [5 2.5] >>",
                "/Subtype /Square /Rect [100 100 50 200] /BS << /W 10 >> \(red)",
                "/Subtype /Circle /Rect [50 100 100 200] /IC \(red.dropFirst(3))",
                "/Subtype /FreeText /Rect [50 800 250 900] /DA (0 0 1 rg/Helv 10 Tf) /Contents (it\\220s\\rfine \\200) /Q 1",
                "/Subtype /FreeText /Rect [50 800 250 900] /Contents <FEFF266D266F> /DA (1 g /Foo 0 Tf)",
            ])
        ).marks
        let places = marks.map { $0.points.map { [$0.x, $0.y] } }
        let kinds = marks.map(\.kind)
        #expect(
            kinds == [.pen, .pen, .highlighter, .highlighter, .line, .line, .line, .line, .rectangle, .ellipse, .text, .text], "\(kinds)")
        try #require(kinds.count == 12)
        #expect(places[0] == [[0.1, 0.1], [0.2, 0.2]] && places[1] == [[0.5, 0.5]], "the list with a text in it is none")
        #expect(marks[0].color.description == "#ff000080" && marks[0].width == 0.01)
        #expect(places[2] == [[0.1, 0.11], [0.3, 0.11]] && marks[2].width == 0.04 && marks[2].cap == .butt)
        #expect(places[3] == [[0.11, 0.2], [0.11, 0.3]] && marks[3].width == 0.02)
        #expect(places[4] == [[0, 1], [1, 0]] && marks[4].width == 0.004 && marks[4].color == .black)
        #expect(places[5].count == 3 && marks[5].color.description == "#808080")
        #expect(places[6] == places[7] && places[7] == [[0, 1], [0.1, 0.9], [0.2, 1], [0, 1]])
        #expect(marks[6].color.description == "#0000ff" && marks[6].fill == 1 && marks[6].width == 0)
        #expect(marks[7].color.description == "#ff0000" && marks[7].fill == nil && marks[7].dash == [0.01, 0.005])
        #expect(places[8] == [[0.11, 0.805], [0.19, 0.895]] && marks[8].width == 0.02)
        #expect(marks[9].width == 0 && marks[9].fill == 1 && marks[9].color.description == "#ff0000")
        #expect(marks[10].text == "it’s\nfine •" && marks[10].setting.size == 0.02 && marks[10].color.description == "#0000ff")
        #expect(places[10] == [[0.1, 0.1]] && marks[10].setting.wrap == 0.4 && marks[10].setting.alignment == .center)
        #expect(
            marks[10].setting.font == "Helvetica" && marks[11].setting.font == nil && marks[11].text == "♭♯"
                && marks[11].setting.size == 0.024)
        await bench.pool.stop()
    }

    /// Links and the like need no message; all other annotations that are hidden, or cannot be marks, are counted.
    @Test @LoopActor func whatIsNoMarkIsCountedByItsKind() async throws {
        let ink = "/Subtype /Ink /InkList [[1 1 2 2]]"
        let found = try await found(
            in: Self.page([
                "\(ink) /F 2", "\(ink) /F 32", "/Subtype /Stamp /F 2", "/Subtype /Popup /F 2", "/Subtype /Popup",
                "/Subtype /Link /Rect [0 0 9 9]", "/Subtype /Widget", "\(ink) /F 4",
                "/Subtype /Text /Contents (a)", "/Subtype /Text", "/Subtype /Stamp", "/Subtype /\(String(repeating: "x", count: 90_000))",
                "",
                "/Subtype /Ink", "/Subtype /Square", "/Subtype /FreeText /Contents (x)", "\(ink) /BS << /W 0 >>",
            ]))
        #expect(found.marks.count == 1)
        #expect(found.leftOut == ["Text": 2, "Stamp": 1, "other": 2, "Ink": 2, "Square": 1, "FreeText": 1, ImportedMarks.hidden: 3])
        await bench.pool.stop()
    }

    // MARK: - Hostile annotations

    private static let far = String(repeating: "9", count: 400)

    @Test(arguments: [
        "/Subtype /Ink /InkList [[NaN 1 2 2] [inf 0 1 1]]", "/Subtype /Ink /InkList [[\(far) 1 2 2]]",
        "/Subtype /Ink /InkList [[\(far).5 1 2 2]] /F \(far)", "/Subtype /Ink /InkList [[1e9 1 2 2]]", "/Subtype /Ink /InkList [[1 2 3]]",
        "/Subtype /Ink /InkList [1 2 3 4]", "/Subtype /Ink /InkList 4 0 R", "/Subtype /Line /L [0 0 -99999999 0]",
        "/Subtype /Line /L [[0 0 1 1]]",
        "/Subtype /Circle /Rect [0 0 1]", "/Subtype /Square /Rect [0 0 (x) 4]", "/Subtype /Highlight /QuadPoints [1 2 3 4 5 6]",
        "/Subtype /FreeText /Rect [0 0 9 9] /Contents [] /DA 4 0 R", "/Subtype /Polygon /Vertices []",
        "/Subtype 4 0 R /InkList [[1 1 2 2]]",
        "/Subtype /Ink /InkList \(String(repeating: "[", count: 50_000))",
    ])
    @LoopActor func whatMakesNoSenseIsNoMark(annotation: String) async throws {
        var pdf = Self.page([annotation])
        pdf.add("[4 0 R 4 0 R]")
        // The page after the hostile one is still read, if any page can be.
        let marks = try? await found(in: Self.page(["/Subtype /Line /L [0 0 9 9]"], pdf: pdf)).marks
        #expect(marks.map { $0.map(\.page.value) == [1] } ?? annotation.hasSuffix("["))
        await bench.pool.stop()
    }

    @Test @LoopActor func aTextThatEndsInMidCharacterIsRead() async throws {
        let text = "/Subtype /FreeText /Rect [50 800 250 900] /Contents <FEFF004100> /DA (1 g /Foo 9 Tf)"
        #expect(try await found(in: Self.page([text])).marks.map(\.text) == ["A"])
        await bench.pool.stop()
    }

    @Test @LoopActor func loopsEnd() async throws {
        var pdf = Self.page(["/Subtype /Line /L [0 0 9 9] /Parent 3 0 R /Popup 3 0 R /BS 3 0 R /InkList 3 0 R"], list: "5 0 R")
        pdf.add("[5 0 R [5 0 R] 3 0 R null 99 0 R 4 0 R]")
        #expect(try await found(in: pdf).marks.count == 1, "the page itself is no mark")
        var itself = Self.page([], list: "4 0 R")
        itself.add("4 0 R")
        #expect(try await found(in: itself).marks.isEmpty)
        await bench.pool.stop()
    }

    @Test @LoopActor func moreThanAnybodyDrawsIsRefused() async throws {
        let many = String(repeating: "1 2 3 4 ", count: 500_000)
        var again = Self.page(["/Subtype /Ink /InkList [\(String(repeating: "5 0 R ", count: 100_000))]"])
        again.add("[\(String(repeating: "1 2 ", count: 10_000))]")
        var texts = Self.page(Array(repeating: "/Subtype /FreeText /Rect [0 0 9 9] /Contents 3000 0 R", count: 2000))
        while texts.add("null") < 2999 {}
        texts.add("(\(String(repeating: "a", count: 100_000)))")
        for pdf in [Self.page(["/Subtype /Ink /InkList [[\(many)]]"]), again, texts] {
            await #expect(throws: RenderFailure.drawing("its annotations have more marks than a musician ever draws")) {
                try await found(in: pdf)
            }
        }
        await bench.pool.stop()
    }

    /// For a page with too many annotations, poppler itself would only report that there is no such page. Our message must state
    /// the real reason.
    @Test @LoopActor func aPageWithMoreAnnotationsThanCanBeReadIsNamed() async throws {
        let line = "<< /Subtype /Line /L [0 0 9 9] >>"
        func page(_ count: Int) -> TestPDF { Self.page([], list: "[\(String(repeating: line, count: count))]") }
        #expect(try await found(in: page(10_000)).marks.count == 10_000)
        await #expect {
            try await found(in: page(10_001))
        } throws: {
            "\($0)".contains("page 1 has 10001 annotations, and none with more than 10000 can be read")
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func whatCannotBeOpenedIsSaid() async throws {
        var locked = Self.page(["/Subtype /Line /L [0 0 9 9]"])
        locked.encrypt()
        await #expect(throws: RenderFailure.encrypted) { try await found(in: locked) }
        await #expect(throws: RenderFailure.noPages) { try await found(in: TestPDF()) }
        for bytes in [Array("no PDF".utf8), []] {
            await #expect(throws: RenderFailure.self) { try await bench.pool.annotations(of: bench.chart(bytes), in: .live) }
        }
        var torn = Self.page(["/Subtype /Line /L [0 0 9 9]"])
        torn.hasTable = false
        #expect(try await found(in: torn).marks.count == 1)
        await bench.pool.stop()
    }
}
