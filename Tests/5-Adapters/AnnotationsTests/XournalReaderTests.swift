import Annotations
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct XournalReaderTests {
    @Test func aStrokeIsInFractionsOfItsPage() throws {
        let file = try Journal.read(
            Journal.document(##"<stroke tool="pen" color="#3333ccff" width="2.0">20.0 40.0 100.0 200.0</stroke>"##))
        let mark = try #require(file.marks.first)
        #expect(file.marks.count == 1)
        #expect(mark.kind == .pen)
        #expect(mark.page == PageIndex(0))
        #expect(mark.color == Color("#3333cc"))
        #expect(mark.width == 0.01)
        #expect(mark.points == [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.5, y: 0.5)])
        #expect(mark.cap == .round)
        #expect(mark.createdAt == nil)
        #expect(file.reference == MarkFile.Reference(pdf: "/music/Amazing Grace.pdf"))
        #expect(file.notes.isEmpty)
        #expect(file.name == nil)
    }

    @Test func whatItWasMadeOnIsKnownAsSoonAsThatIsRead() throws {
        let text = Journal.document(##"<stroke tool="pen" color="black" width="2.0">20.0 40.0 100.0 200.0</stroke>"##)
        let end = try #require(text.range(of: "<stroke")).lowerBound
        #expect(throws: MarkFileFault.self) { try Journal.read(String(text[..<end])) }
        do throws(MarkFileFault) {
            _ = try XournalReader.read(Array(text[..<end].utf8))
        } catch {
            #expect(error.reason == .unfinished && error.reference == MarkFile.Reference(pdf: "/music/Amazing Grace.pdf"))
        }
    }

    @Test func aPressedStrokeHasAWidthForEachPoint() throws {
        let mark = try #require(try Journal.marks(#"<stroke tool="pen" color="black" width="2 4 6">0 0 10 10 20 20</stroke>"#).first)
        #expect(mark.width == 0.01)
        #expect(mark.points.map(\.width) == [0.02, 0.03, 0.03])
    }

    @Test(arguments: [
        // Surplus widths are ignored. With too few, the stroke ends early. A segment with a bad width is left out, which splits the stroke.
        ("2 4 4 4 4 4 4 4", [5]),
        ("2 4 4", [3]),
        ("2 4 0 4 4", [2, 3]),
        ("2 4 nan 4 4", [2, 3]),
        ("2 0 0 -1 nan", []),
        ("2 -1 4 4 4", [4]),
        ("2 4 4 4 -1", [4]),
    ])
    func widthsThatDoNotFitThePoints(widths: String, counts: [Int]) throws {
        let marks = try Journal.marks("<stroke tool=\"pen\" color=\"black\" width=\"\(widths)\">0 0 10 0 20 0 30 0 40 0</stroke>")
        #expect(marks.map(\.points.count) == counts)
        #expect(Set(marks.map(\.id)).count == marks.count)
    }

    @Test func aHighlighterHasOneWidthAndOneOpacity() throws {
        let mark = try #require(
            try Journal.marks(##"<stroke tool="highlighter" color="#ffff00ff" width="8 1 2">0 0 10 0 20 0</stroke>"##).first)
        #expect(mark.kind == .highlighter)
        #expect(mark.color == Color("#ffff0078"))
        #expect(mark.points.allSatisfy { $0.width == nil })
    }

    @Test(arguments: [
        ("black", "#000000"), ("blue", "#3333cc"), ("red", "#ff0000"), ("green", "#008000"), ("gray", "#808080"),
        ("lightblue", "#00c0ff"), ("lightgreen", "#00ff00"), ("magenta", "#ff00ff"), ("orange", "#ff8000"), ("yellow", "#ffff00"),
        ("white", "#ffffff"), ("#12345678", "#123456"),
    ])
    func colours(name: String, value: String) throws {
        let marks = try Journal.marks("<stroke tool=\"eraser\" color=\"\(name)\" width=\"1\">0 0 1 1</stroke>")
        #expect(marks.map(\.color) == [Color(value)])
        #expect(marks.map(\.kind) == [.eraser])
    }

    @Test(
        arguments: [
            ("dash", [6, 3]), ("dashdot", [6, 3, 0.5, 3]), ("dot", [0.5, 3]), ("cust: 10 20,5 3", [10, 20.5, 3]), ("plain", []),
        ] as [(String, [Double])])
    func styles(style: String, lengths: [Double]) throws {
        let mark = try #require(
            try Journal.marks(
                "<stroke tool=\"pen\" color=\"red\" width=\"1\" style=\"\(style)\" capStyle=\"butt\" fill=\"51\">0 0 1 1</stroke>"
            ).first)
        #expect(mark.dash == lengths.map { $0 / 200 })
        #expect(mark.cap == .butt)
        #expect(mark.fill == 0.2)
    }

    @Test func textKeepsItsBlanks() throws {
        let mark = try #require(
            try Journal.marks(
                "<text font=\"Serif Bold\" size=\"12\" x=\"50\" y=\"100\" color=\"#ff0000ff\"> mf\n  dolce &lt;3 &#233; </text>"
            ).first)
        #expect(mark.kind == .text)
        #expect(mark.text == " mf\n  dolce <3 é ")
        #expect(mark.setting.font == "Serif Bold")
        #expect(mark.setting.size == 0.06)
        #expect(mark.points == [Mark.Point(x: 0.25, y: 0.25)])
    }

    @Test func picturesAndFormulas() throws {
        let box = #"left="20" top="40" right="100" bottom="200""#
        let file = try Journal.read(
            Journal.document(
                """
                <image \(box)>\(Journal.picture.prefix(20))
                \(Journal.picture.dropFirst(20))</image>
                <teximage text="x^2" \(box)>\(Journal.picture)</teximage>
                <teximage text="x^2" \(box)>JVBERi0xLjUKJdDUxdgK</teximage>
                <image \(box)>JVBERi0xLjUKJdDUxdgK</image>
                <teximage text="x^2" \(box)>/9j/4AAQSkZJRg==</teximage>
                <image \(box)>/9j/4AAQSkZJRg==</image>
                """))
        #expect(file.marks.map(\.image) == [Journal.picture, Journal.picture, "JVBERi0xLjUKJdDUxdgK"])
        #expect(file.marks.first?.points == [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.5, y: 0.5)])
        #expect(
            file.notes == [
                "pictures that are not PNG left out: 2 (first on page 1)", "formulas that are neither PDF nor PNG left out: 1 (page 1)",
            ])
    }

    @Test func aMirroredPictureKeepsItsCorners() throws {
        let mark = try #require(
            try Journal.marks("<image left=\"100\" top=\"200\" right=\"20\" bottom=\"40\">\(Journal.picture)</image>").first)
        #expect(mark.points == [Mark.Point(x: 0.5, y: 0.5), Mark.Point(x: 0.1, y: 0.1)])
    }

    @Test func textIsSetInPointsAndAsInTheLaterFormat() throws {
        let place = ##"font="Sans" size="12" x="50" y="100" color="#ff000040""##
        let marks = try Journal.marks(
            """
            <text \(place)>plain</text><text \(place) wrap="150.0" align="center" justify="true">set</text>
            <link \(place) align="right" url="https%3A%2F%2Fexample.org">see there</link>
            """)
        #expect(marks.map(\.kind) == [.text, .text, .text])
        #expect(marks.map(\.text) == ["plain", "set", "see there"])
        #expect(marks.map(\.color) == [Color](repeating: Color(red: 255, green: 0, blue: 0), count: 3))
        #expect(marks.map(\.setting.point) == [0.005, 0.005, 0.005])
        #expect(marks.map(\.setting.wrap) == [nil, 0.75, nil])
        #expect(marks.map(\.setting.alignment) == [.left, .center, .right])
        #expect(marks.map(\.setting.isJustified) == [false, true, false])
    }

    @Test func aFilledHighlighterIsOneAreaAndNoneWithoutAFill() throws {
        let stroke = { (fill: Int) in "<stroke tool=\"highlighter\" color=\"red\" width=\"9\" fill=\"\(fill)\">0 0 9 9 0 9</stroke>" }
        #expect(try Journal.marks(stroke(51) + stroke(0)).map(\.fill) == [0.2])
    }

    @Test func pagesOfTwoSizesOnOneOfThePDFsMeetInPoints() throws {
        let stroke = #"<stroke tool="pen" color="red" width="2">20 40 100 200</stroke>"#
        let file = try Journal.read(
            Journal.document(pages: [
                Journal.page(stroke),
                Journal.page(stroke).replacing("width=\"200.00000000\" height=\"400.00000000\"", with: "width=\"100\" height=\"800\""),
            ]))
        #expect(file.sheets == [PageIndex(0): PageGeometry(width: 200, height: 400)])
        #expect(file.marks.map(\.points) == [file.marks[0].points, file.marks[0].points])
        #expect(file.marks.map(\.width) == [0.01, 0.01])
    }

    @Test func anArchivesPicturesAndPDFCountFromItsRoot() throws {
        let png = try #require(Data(base64Encoded: Journal.picture))
        let box = #"left="20" top="40" right="100" bottom="200""#
        let text = Journal.document(
            """
            <image \(box)><attachment path="attachments/one.png"/></image>
            <teximage text="x" \(box)><attachment path="attachments/two.pdf"></attachment></teximage>
            <image \(box)><attachment path="attachments/none.png"/></image>
            """, background: #"<background type="pdf" domain="attach" filename="attachments/bg.pdf" pageno="1"/>"#)
        let archive = Packed.zip([
            ("content.xml", Array(text.utf8)), ("attachments/one.png", Array(png)), ("attachments/two.pdf", Array("%PDF-1.4 x".utf8)),
            ("attachments/bg.pdf", Array("%PDF-1.4 chart".utf8)),
        ])
        let file = try XournalReader.read(archive)
        #expect(file.marks.map(\.image) == [Journal.picture, "JVBERi0xLjQgeA=="])
        #expect(file.notes == ["pictures that are not in the archive left out: 1 (page 1)"])
        #expect(file.reference == MarkFile.Reference(chart: ChartHash(SHA256.digest(of: Array("%PDF-1.4 chart".utf8)))))
    }

    @Test func manyPicturesOfOneEntryAreNotUnpackedForEver() throws {
        let image = #"<image left="0" top="0" right="1" bottom="1"><attachment path="zeros"/></image>"#
        let archive = Packed.zip([
            ("content.xml", Array(Journal.document(String(repeating: image, count: 40)).utf8)),
            ("zeros", [UInt8](repeating: 0, count: 64 << 10)),
        ])
        var limits = MarkFileLimits()
        limits.inflatedBytes = 1 << 20
        #expect(Journal.fault(archive, limits: limits)?.reason == .tooLarge)
        limits.inflatedBytes = 4 << 20
        #expect(Journal.fault(archive, limits: limits) == nil)
    }

    @Test func itsPagesAreNotThePDFs() throws {
        let stroke = #"<stroke tool="pen" color="red" width="1">0 0 1 1</stroke>"#
        let file = try Journal.read(
            Journal.document(pages: [
                Journal.page(stroke, background: ##"<background type="solid" color="#ffffffff" style="lined"/>"##),
                Journal.page(stroke, background: #"<background type="pdf" domain="absolute" filename="a.pdf" pageno="3ll"/>"#),
                Journal.page(stroke, background: #"<background type="pdf" pageno="1"/>"#),
                Journal.page(stroke, background: #"<background type="pixmap" domain="absolute" filename="scan.png"/>"#),
                Journal.page(stroke, background: #"<background type="pdf" pageno="0"/>"#),
                Journal.page(stroke, background: #"<background type="pdf" pageno="99999999999999999999"/>"#),
            ]))
        #expect(file.marks.map(\.page) == [PageIndex(2), PageIndex(0)])
        #expect(file.otherPages == 4)
        #expect(file.notes == ["marks on pages that are not in the PDF left out: 4 (first on page 1)"])
        #expect(file.reference.pdf == "a.pdf")
        #expect(Set(file.marks.map(\.id)).count == 2)
    }

    @Test func paintOrderIsKeptThroughLayers() throws {
        let marks = try Journal.marks(
            """
            <stroke tool="pen" color="red" width="1">0 0 1 1</stroke><text size="9" x="1" y="1">a</text></layer>
            <layer/><layer><text size="9" x="1" y="1">b</text><stroke tool="pen" color="blue" width="1">0 0 1 1</stroke>
            """)
        #expect(marks.map(\.kind) == [.pen, .text, .text, .pen])
        #expect(marks.map(\.id) == ["1.1.1", "1.1.2", "1.3.3", "1.3.4"])
    }

    @Test func oldFilesHaveCommasAndAnotherRoot() throws {
        let text = """
            <xournal version="0.4.8"><page width="200,00" height="400,00"><background type="pdf" domain="attach" filename="bg.pdf" pageno="2ll"/>
            <layer><stroke tool="pen" color="blue" width="1,50">20,0 40,00
            100,0 200,0 </stroke></layer></page></xournal>
            """
        let file = try XournalReader.read(Array(text.utf8), name: "grace.xoj")
        #expect(file.marks.first?.points == [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.5, y: 0.5)])
        #expect(file.marks.first?.width == 0.0075)
        #expect(file.marks.first?.page == PageIndex(1))
        #expect(file.reference.pdf == "grace.xoj.bg.pdf")
        #expect(try Journal.read(text.replacing("xournal", with: "MrWriter")).marks == file.marks)
    }

    /// The page measures 200 by 400 points.
    @Test(arguments: [
        (#"<stroke tool="pen" color="red" width="1">5000 6000 7000 8000</stroke>"#, true),
        (#"<stroke tool="pen" color="red" width="1">-50 10 -20 10</stroke>"#, true),
        (#"<stroke tool="pen" color="red" width="60">-20 10 -25 10</stroke>"#, false),
        (#"<stroke tool="pen" color="red" width="1">-20 10 20 10</stroke>"#, false),
        (#"<text font="Sans" size="12" x="-20" y="10" color="red">reaches onto it</text>"#, false),
        (#"<text font="Sans" size="12" x="210" y="10" color="red">begins beyond it</text>"#, true),
    ])
    func aMarkOffThePageIsReported(item: String, isOff: Bool) throws {
        let file = try Journal.read(Journal.document(item))
        #expect(file.marks.count == 1, "it is kept")
        #expect(file.notes == (isOff ? ["marks not drawn because they are off the page: 1 (page 1)"] : []))
    }

    @Test func whatIsUnknownIsLeftOutAndReported() throws {
        let file = try Journal.read(
            Journal.document(
                """
                <stroke tool="crayon" color="red" width="1">0 0 1 1</stroke>
                <stroke tool="pen" color="red" width="thick">0 0 1 1</stroke>
                <stroke tool="pen" color="mauve" width="1" style="wavy">0 0 1 1 2</stroke>
                <hologram/><stroke tool="pen" color="red" width="1"/><text>no place</text><image>x</image>
                """))
        #expect(file.marks.map(\.color) == [.black])
        #expect(file.marks.map(\.points.count) == [2])
        #expect(
            file.notes.map { $0.prefix { $0 != ":" } } == [
                "strokes with an unknown tool left out", "strokes without a width left out",
                "strokes with an unknown line style drawn without dashes", "colours with unknown names drawn black",
                "strokes with an incomplete last point drawn without it", "elements of an unknown kind left out",
                "strokes without points left out", "texts without a place or a size left out", "pictures without a place left out",
            ])
    }
}
