import CPango
import CPoppler
import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// PDFs that workers make of charts, checked by other programs: qpdf and poppler's own.
@Suite(.onLoop)
struct PDFTests {
    private let bench: Bench

    @LoopActor init() { bench = Bench() }

    /// A page such as scanners and editors produce: rotated, cropped on all sides, in units of its own.
    private static func odd(rotation: Int, crop: TestPDF.Box? = (50, 80, 455, 620), content: String = "") -> TestPDF {
        var pdf = TestPDF()
        let font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        pdf.addPage(
            width: 500, height: 700, crop: crop, rotation: rotation, resources: font,
            "BT /F 24 Tf 100 500 Td (Grace) Tj ET 0.6 g 120 150 200 90 re f 0 g 60 90 30 30 re f " + content)
        return pdf
    }

    /// The images are large enough for small marks, and have few enough pixels to compare them all.
    private static let settings = RenderSettings(fullSize: 900)

    private static let ink = Color(red: 200, green: 20, blue: 30)

    /// One mark of each kind.
    static let marks: [Mark] = {
        func mark(_ kind: Mark.Kind, _ points: [(Double, Double)], width: Double = 0.006, color: Color = ink) -> Mark {
            Mark(
                id: "\(kind) \(points)", page: PageIndex(0), kind: kind, color: color, width: width,
                points: points.map { Mark.Point(x: $0.0, y: $0.1) })
        }
        var text = mark(.text, [(0.55, 0.7)], width: 0)
        (text.text, text.setting.size, text.setting.font) = ("rit.\npoco", 0.05, "serif italic")
        var dashed = mark(.line, [(0.1, 0.05), (0.9, 0.2)])
        dashed.dash = [0.02, 0.01]
        var filled = mark(.ellipse, [(0.1, 0.75), (0.4, 0.9)], color: Color(red: 0, green: 60, blue: 220))
        filled.fill = 0.3
        var pressed = mark(
            .highlighter, [(0.2, 0.3), (0.5, 0.32), (0.8, 0.5)], width: 0.08, color: Color(red: 255, green: 240, blue: 0, alpha: 120))
        pressed.fill = 0.5
        return [
            mark(.highlighter, [(0.1, 0.75), (0.7, 0.72)], width: 0.1, color: Color(red: 255, green: 240, blue: 0, alpha: 120)),
            mark(.pen, [(0.1, 0.1), (0.3, 0.25), (0.25, 0.5), (0.9, 0.6)]), dashed, pressed, filled,
            mark(.rectangle, [(0.6, 0.05), (0.95, 0.3)]), mark(.eraser, [(0.35, 0.8), (0.6, 0.8)], width: 0.03), text,
        ]
    }()

    @Test @LoopActor func aChartIsCopiedAsItIs() async throws {
        var pdf = Self.odd(rotation: 90)
        pdf.addPage(width: 300, height: 400, rotation: 180, "0.5 g 10 10 50 50 re f")
        let chart = try bench.chart(pdf)
        let copy = try await part(chart)
        #expect(try await said("/usr/bin/pdftotext", ["-layout", copy, "-"]) == said("/usr/bin/pdftotext", ["-layout", chart, "-"]))
        let boxes = ["-box", "-l", "2"]
        let facts = try await said("/usr/bin/pdfinfo", boxes + [copy]).split(separator: "\n").filter { $0.contains("Page ") }
        #expect(try await said("/usr/bin/pdfinfo", boxes + [chart]).split(separator: "\n").filter { $0.contains("Page ") } == facts)
        #expect(facts.count > 6)
        for page in 0..<2 {
            #expect(
                try await bench.render(copy, page: page, settings: Bench.small).images
                    == bench.render(chart, page: page, settings: Bench.small).images)
        }
        await bench.pool.stop()
    }

    @Test(arguments: [0, 90, 180, 270], [true, false])
    @LoopActor func marksOverAPageLookAsOnItsImage(rotation: Int, isCropped: Bool) async throws {
        let chart = try bench.chart(isCropped ? Self.odd(rotation: rotation) : Self.odd(rotation: rotation, crop: nil))
        let difference = try await difference(chart, Self.marks)
        // The shapes are the same, but their edges are softened in two steps instead of one.
        #expect(difference.mean < 0.002, "mean \(difference.mean), plain \(difference.toPlain)")
        // Without the marks, the page would look quite different.
        #expect(difference.toPlain > 20 * difference.mean)
        await bench.pool.stop()
    }

    @Test(arguments: [0, 90, 180, 270])
    @LoopActor func marksAsAnnotationsLookTheSameAndAreKnownByTheirKinds(rotation: Int) async throws {
        let chart = try bench.chart(Self.odd(rotation: rotation))
        let difference = try await difference(chart, Self.marks, as: .annotations)
        #expect(difference.mean < 0.002 && difference.toPlain > 20 * difference.mean, "\(difference)")
        let copy = try await part(chart, Self.marks, as: .annotations)
        let found = try Self.annotations(of: copy)
        #expect(
            found.map(\.kind) == [
                POPPLER_ANNOT_INK, POPPLER_ANNOT_INK, POPPLER_ANNOT_LINE, POPPLER_ANNOT_INK, POPPLER_ANNOT_CIRCLE, POPPLER_ANNOT_SQUARE,
                POPPLER_ANNOT_INK, POPPLER_ANNOT_FREE_TEXT,
            ], "\(found)")
        #expect(found.last?.contents == "rit.\npoco")
        #expect(found[1].color == [200, 20, 30])
        await bench.pool.stop()
    }

    /// The annotations that poppler finds on the first page.
    private static func annotations(of path: String) throws -> [(kind: PopplerAnnotType, contents: String, color: [Int])] {
        let bytes = try AtomicFile.read(path, limit: 1 << 26)
        return try bytes.withUnsafeBytes { bytes in
            let shared = g_bytes_new(bytes.baseAddress, gsize(bytes.count))
            defer { g_bytes_unref(shared) }
            let document = try #require(poppler_document_new_from_bytes(shared, nil, nil))
            defer { g_object_unref(UnsafeMutableRawPointer(document)) }
            let page = try #require(poppler_document_get_page(document, 0))
            defer { g_object_unref(UnsafeMutableRawPointer(page)) }
            let list = poppler_page_get_annot_mapping(page)
            defer { poppler_page_free_annot_mapping(list) }
            var found: [(kind: PopplerAnnotType, contents: String, color: [Int])] = []
            var place = list
            while let entry = place {
                place = entry.pointee.next
                guard let annotation = entry.pointee.data.assumingMemoryBound(to: PopplerAnnotMapping.self).pointee.annot else { continue }
                let color = poppler_annot_get_color(annotation)
                let contents = poppler_annot_get_contents(annotation)
                defer {
                    g_free(color)
                    g_free(contents)
                }
                found.append(
                    (
                        poppler_annot_get_annot_type(annotation), contents.map { String(cString: $0) } ?? "",
                        color.map { [$0.pointee.red, $0.pointee.green, $0.pointee.blue].map { (Int($0) + 128) / 257 } } ?? []
                    ))
            }
            return found
        }
    }

    /// The state that a page's content leaves behind must not move the marks, and the marks must not change the content.
    @Test(arguments: ["q 0.5 0 0 0.5 40 40 cm q 1 0 0 rg", "0.5 0 0 0.5 40 40 cm Q 0 0 1 rg 300 300 90 90 re f q", "q 3 w 1 0 0 RG"])
    @LoopActor func unbalancedContentMovesNoMarks(content: String) async throws {
        let chart = try bench.chart(Self.odd(rotation: 90, content: content))
        let difference = try await difference(chart, Self.marks)
        #expect(difference.mean < 0.002 && difference.toPlain > 20 * difference.mean, "\(difference)")
        await bench.pool.stop()
    }

    @Test @LoopActor func marksOnOnePageDoNotShowOnAnotherThatSharesItsResources() async throws {
        var pdf = TestPDF()
        let resources = pdf.add("<< /XObject << >> >>")
        for page in 0..<2 {
            let stream = pdf.add("<< /Length 20 >>\nstream\n0.5 g \(page + 1)0 10 50 50 re f\nendstream")
            let number = pdf.add(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources \(resources) 0 R /Contents \(stream) 0 R >>")
            pdf.kids.append("\(number) 0 R")
        }
        let chart = try bench.chart(pdf)
        let copy = try await part(chart, Self.marks)
        let whole = try await said("/usr/bin/qpdf", ["--qdf", "--object-streams=disable", "--no-original-object-ids", copy, "-"])
        #expect(whole.components(separatedBy: "/WoodshedMarks Do") == 1 && whole.components(separatedBy: "/WoodshedMarks ") == 2)
        #expect(
            try await bench.render(copy, page: 1, settings: Bench.small).images
                == bench.render(chart, page: 1, settings: Bench.small).images)
        await bench.pool.stop()
    }

    @Test @LoopActor func textOfMarksIsTextInAFontOfThePDF() async throws {
        let copy = try await part(bench.chart(Self.odd(rotation: 0)), Self.marks)
        #expect(try await said("/usr/bin/pdftotext", [copy, "-"]).contains("poco"))
        let fonts = try await said("/usr/bin/pdffonts", [copy]).split(separator: "\n").dropFirst(2)
        // The page's own font must not be embedded.
        #expect(fonts.contains { $0.contains(" yes yes ") }, "\(fonts)")
        #expect(try await said("/usr/bin/pdfimages", ["-list", copy]).split(separator: "\n").count == 2)
        await bench.pool.stop()
    }

    @Test @LoopActor func severalChartsBecomeOneWithBookmarks() async throws {
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let first = try await bench.pool.part(
            PartJob(chart: bench.chart(Self.odd(rotation: 90)), longSide: 300, output: file.descriptor), in: .live)
        let second = try await bench.pool.part(
            PartJob(chart: bench.chart(.halfBlack), marks: Self.marks, longSide: 300, output: file.descriptor, start: first.bytes),
            in: .live)
        let contents = PDFContents(
            title: "Süßer „Sonntag“",
            parts: [PDFContents.Part(start: 0, count: first.bytes), PDFContents.Part(start: first.bytes, count: second.bytes)],
            entries: [
                PDFContents.Entry(level: 0, title: "Grace", part: nil), PDFContents.Entry(level: 1, title: "in B♭", part: 0),
                PDFContents.Entry(level: 1, title: "half", part: 1), PDFContents.Entry(level: 0, title: "Again", part: 0),
            ])
        let output = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let outcome = try await bench.pool.bind(BindJob(parts: file.descriptor, contents: contents, output: output.descriptor), in: .live)
        #expect(outcome.pages == 3)
        let again = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        _ = try await bench.pool.bind(BindJob(parts: file.descriptor, contents: contents, output: again.descriptor), in: .live)
        #expect(try AtomicFile.read(output.path, limit: 1 << 24) == AtomicFile.read(again.path, limit: 1 << 24))
        #expect(try await isSound(output.path))
        #expect(try await said("/usr/bin/pdfinfo", [output.path]).contains("Süßer „Sonntag“"))
        let outlines = try await said("/usr/bin/qpdf", ["--json", "--json-key=outlines", output.path])
        for (title, page) in [("Grace", 1), ("in B♭", 1), ("half", 2), ("Again", 3)] {
            #expect(outlines.contains("\"destpageposfrom1\": \(page)") && outlines.contains("\"title\": \"\(title)\""), "\(outlines)")
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func pagesComeInTheOrderAndAsOftenAsTheyArePlayed() async throws {
        var pdf = TestPDF()
        for word in ["first", "second", "third"] {
            pdf.addPage(
                width: 300, height: 400, resources: "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>",
                "BT /F 24 Tf 50 200 Td (\(word)) Tj ET")
        }
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let part = try await bench.pool.part(PartJob(chart: bench.chart(pdf), longSide: 300, output: file.descriptor), in: .live)
        func bound(_ pages: [Int]) async throws -> (path: TemporaryFile, pages: Int) {
            let output = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
            let contents = PDFContents(
                title: "x", parts: [PDFContents.Part(start: 0, count: part.bytes)],
                entries: [PDFContents.Entry(level: 0, title: "x", part: 0, pages: pages)])
            let job = BindJob(parts: file.descriptor, contents: contents, output: output.descriptor)
            return (output, try await bench.pool.bind(job, in: .live).pages)
        }
        let (output, pages) = try await bound([2, 0, 0])
        #expect(pages == 3)
        #expect(try await isSound(output.path))
        let words = try await said("/usr/bin/pdftotext", [output.path, "-"]).split { $0.isWhitespace }.map(String.init)
        #expect(words == ["third", "first", "first"])
        await #expect(throws: RenderFailure.self) { try await bound([3]) }
        await #expect(throws: RenderFailure.self) { try await bound([-1]) }
        await bench.pool.stop()
    }

    /// Of a page that is played twice, a bookmark leads to the first time; of one that is not played, it is left out.
    @Test @LoopActor func bookmarksWithinAChartLeadToTheirPages() async throws {
        var pdf = TestPDF()
        for _ in 0..<3 { pdf.addPage() }
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let part = try await bench.pool.part(PartJob(chart: bench.chart(pdf), longSide: 300, output: file.descriptor), in: .live)
        let places = [
            PDFContents.Place(level: 0, title: "Verse", page: 2), PDFContents.Place(level: 1, title: "below", page: 0),
            PDFContents.Place(level: 0, title: "not played", page: 1),
        ]
        let contents = PDFContents(
            title: "x", parts: [PDFContents.Part(start: 0, count: part.bytes)],
            entries: [
                PDFContents.Entry(level: 0, title: "whole", part: 0),
                PDFContents.Entry(level: 0, title: "x", part: 0, pages: [2, 0, 2], places: places),
            ])
        let output = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        _ = try await bench.pool.bind(BindJob(parts: file.descriptor, contents: contents, output: output.descriptor), in: .live)
        let read = try #require(try await bench.pool.describe(chart: output.path).places?.bookmarks)
        #expect(read.map(\.title) == ["whole", "x", "Verse", "below"] && read.map(\.level) == [0, 0, 1, 2])
        #expect(read.map(\.place.page.value) == [0, 3, 3, 4])
        await bench.pool.stop()
    }

    @Test(arguments: [PartJob.MarkForm.painted, .annotations])
    @LoopActor func jumpsLookAsOnThePagesImage(form: PartJob.MarkForm) async throws {
        var jump = Mark(id: "j", page: PageIndex(0), kind: .jump, color: Self.ink, points: [Mark.Point(x: 0.75, y: 0.5)])
        (jump.leads, jump.pass) = ("l", 2)
        let landing = Mark(id: "l", page: PageIndex(0), kind: .landing, color: Self.ink, points: [Mark.Point(x: 0.2, y: 0.3)])
        let chart = try bench.chart(Self.odd(rotation: 90))
        let difference = try await difference(chart, [jump, landing], as: form)
        #expect(difference.mean < 0.002 && difference.toPlain > 4 * difference.mean, "\(difference)")
        if form == .annotations {
            let found = try Self.annotations(of: try await part(chart, [jump, landing], as: form))
            #expect(found.map(\.kind) == [POPPLER_ANNOT_STAMP, POPPLER_ANNOT_STAMP])
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func whatCannotBeReadIsSaid() async throws {
        var locked = TestPDF.halfBlack
        locked.encrypt()
        await #expect(throws: RenderFailure.encrypted) { try await part(bench.chart(locked), isChecked: false) }
        await #expect(throws: RenderFailure.self) { try await part(bench.chart(Array("no PDF".utf8)), isChecked: false) }
        await #expect(throws: RenderFailure.noPages) { try await part(bench.chart(TestPDF()), isChecked: false) }
        // A file without a table of its objects is searched for them.
        var torn = TestPDF.halfBlack
        torn.hasTable = false
        #expect(try await part(bench.chart(torn)).isEmpty == false)
        await bench.pool.stop()
    }

    // MARK: - Tools

    /// Copies a chart and returns the copy's path; qpdf must find no fault in it.
    @LoopActor
    private func part(
        _ chart: String, _ marks: [Mark] = [], as form: PartJob.MarkForm = .painted, isChecked: Bool = true
    ) async throws -> String {
        let path = bench.folder.path("part-\(marks.count).pdf")
        let file = try TemporaryFile.create(inFolderOf: path)
        let outcome = try await bench.pool.part(
            PartJob(chart: chart, marks: marks, form: form, longSide: Self.settings.fullSize, output: file.descriptor), in: .live)
        try file.publish(as: path, durability: .none)
        #expect(outcome.bytes == (try AtomicFile.read(path, limit: 1 << 26).count))
        if isChecked { #expect(try await isSound(path)) }
        return path
    }

    @LoopActor
    private func isSound(_ path: String) async throws -> Bool {
        let result = try await Program.run("/usr/bin/qpdf", ["--check", path])
        return result.exit == .code(0) && result.messages.isEmpty
    }

    @LoopActor
    private func said(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await Program.run(program, arguments)
        #expect(result.exit == .code(0), "\(result.messages)")
        return result.output
    }

    /// How much the annotated image differs on average from the PDF's page with marks, and from the plain page; from 0 to 1.
    @LoopActor
    private func difference(
        _ chart: String, _ marks: [Mark], as form: PartJob.MarkForm = .painted
    ) async throws -> (mean: Double, toPlain: Double) {
        let copy = try await part(chart, marks, as: form)
        let drawn = try #require(PageMarks(drawing: marks))
        let wanted = try await bench.render(chart, [.plain, .annotated], settings: Self.settings, marks: drawn).images
        let images = [wanted[.plain], wanted[.annotated], try await bench.render(copy, settings: Self.settings).images[.plain]].map {
            $0.flatMap { PNGImage($0) }
        }
        let (plain, annotated, found) = (try #require(images[0]), try #require(images[1]), try #require(images[2]))
        return (try found.difference(to: annotated), try plain.difference(to: annotated))
    }
}

extension PNGImage {
    /// The mean difference over all pixels, from 0 to 1.
    fileprivate func difference(to other: PNGImage) throws -> Double {
        try #require(width == other.width && height == other.height)
        var sum = 0
        for y in 0..<height {
            for x in 0..<width {
                let (mine, theirs) = (self[x, y], other[x, y])
                for shift: UInt32 in [0, 8, 16] { sum += abs(Int(mine >> shift & 255) - Int(theirs >> shift & 255)) }
            }
        }
        return Double(sum) / Double(width * height * 3 * 255)
    }
}

extension String {
    /// How many times a part occurs.
    fileprivate func components(separatedBy part: String) -> Int {
        var (count, place) = (0, startIndex)
        while let found = self[place...].firstRange(of: part) {
            count += 1
            place = found.upperBound
        }
        return count
    }
}
