import Annotations
import Model
import Testing

/// Malicious files. Each is refused with one message, or is read without the marks that make no sense.
@Suite(.timeLimit(.minutes(5)))
struct HostileJournalTests {
    @Test func deepXMLIsStopped() {
        let deep = String(repeating: "<a>", count: 1_000_000)
        #expect(Journal.fault("<xournal>" + deep)?.reason == .tooLarge)
        #expect(Journal.fault(Journal.document(deep))?.reason == .tooLarge)
    }

    @Test(arguments: [
        #"<!DOCTYPE xournal [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>"#,
        #"<!DOCTYPE xournal [<!ENTITY secret SYSTEM "file:///etc/passwd">]>"#,
        #"<!DOCTYPE xournal SYSTEM "http://127.0.0.1/x.dtd">"#,
        #"<!DOCTYPE xournal [<!ENTITY % all SYSTEM "file:///etc/passwd"> %all;]>"#,
        "<!DOCTYPE xournal>",
    ])
    func declarationsAreRefused(declaration: String) throws {
        let text = Journal.document(#"<text size="9" x="1" y="1">&b;&secret;</text>"#)
        let fault = try #require(Journal.fault(text.replacing("<xournal ", with: declaration + "<xournal ")))
        #expect(fault.sentence.contains("declares a document type"))
        #expect(fault.place != nil)
    }

    @Test func anAttachedChartLeadsNowhereElse() throws {
        for name in ["/../../etc/passwd", "../a.pdf", String(repeating: "a", count: 5000)] {
            let background = #"<background type="pdf" domain="attach" filename="\#(name)" pageno="1"/>"#
            #expect(try Journal.read(Journal.document("", background: background)).reference.pdf == nil)
        }
    }

    @Test func entitiesWithoutADeclarationAreRefused() {
        #expect(Journal.fault(Journal.document(#"<text size="9" x="1" y="1">&secret;</text>"#))?.reason == .malformed)
    }

    @Test(arguments: ["nan", "inf", "-inf", "1e300", "1e999", "-2000000", "0x10", "12ll"])
    func numbersThatNoPageHas(number: String) throws {
        let box = "left=\"\(number)\" top=\"1\" right=\"2\" bottom=\"2\""
        let file = try Journal.read(
            Journal.document(
                """
                <stroke tool="pen" color="red" width="1">0 0 1 \(number) 2 2</stroke>
                <stroke tool="pen" color="red" width="\(number)">0 0 1 1</stroke>
                <text size="\(number)" x="1" y="1">a</text><text size="9" x="\(number)" y="1">a</text>
                <image \(box)>\(Journal.picture)</image>
                <stroke tool="pen" color="red" width="1 1 \(number) 1" fill="\(number)">0 0 1 1 2 2 3 3</stroke>
                """))
        // The last stroke is split at the point with an impossible width.
        #expect(file.marks.map(\.points.count) == [2, 2])
        #expect(file.marks.filter(\.isDrawn).count == 2)
        #expect(file.notes.count == 4)
    }

    @Test(arguments: ["0", "-5", "nan", "1e300", ""])
    func pagesWithoutASize(number: String) {
        #expect(Journal.fault(Journal.document("").replacing("200.00000000", with: number))?.reason == .malformed)
    }

    @Test func tooMuchOfAnythingIsRefused() {
        var limits = MarkFileLimits()
        limits.fileBytes = 100_000
        limits.pages = 3
        limits.layers = 4
        limits.marks = 5
        limits.strokePoints = 6
        limits.points = 8
        limits.textBytes = 30
        limits.pictureBytes = 150
        limits.contentBytes = 180
        let text = #"<text size="9" x="1" y="1">\#(String(repeating: "a", count: 30))</text>"#
        let picture = #"<image left="1" top="1" right="2" bottom="2">\#(Journal.picture)</image>"#
        func stroke(_ points: Int) -> String {
            #"<stroke tool="pen" color="red" width="1">\#(String(repeating: "1 1 ", count: points))</stroke>"#
        }
        let fine = [stroke(6) + stroke(2), String(repeating: text, count: 5), "</layer><layer/><layer/><layer>", picture + text]
        let tooMuch = [
            stroke(7), stroke(6) + stroke(3), String(repeating: text, count: 6), text.replacing("</", with: "a</"),
            "</layer><layer/><layer/><layer/><layer>", picture + picture, picture.replacing("=<", with: "\(Journal.picture)<"),
            String(repeating: " ", count: 100_000),
        ]
        for items in fine { #expect(Journal.fault(Journal.document(items), limits: limits) == nil, "\(items.prefix(200))") }
        for items in tooMuch {
            #expect(Journal.fault(Journal.document(items), limits: limits)?.reason == .tooLarge, "\(items.prefix(200))")
        }
        let pages = (0..<4).map { _ in Journal.page("") }
        #expect(Journal.fault(Journal.document(pages: pages), limits: limits)?.reason == .tooLarge)
        #expect(Journal.fault(Journal.document(pages: Array(pages.dropLast())), limits: limits) == nil)
    }

    @Test func aMillionPointsInOneStroke() {
        let stroke = #"<stroke tool="pen" color="red" width="1">"# + String(repeating: "1.5 2.5 ", count: 1_000_000) + "</stroke>"
        #expect(Journal.fault(Packed.gzip(Journal.document(stroke)))?.reason == .tooLarge)
    }

    @Test func oneEndlessAttributeIsStopped() {
        let attribute = "<xournal><page width=\"" + String(repeating: "1", count: 20 << 20)
        #expect(Journal.fault(Packed.gzip(attribute))?.reason == .tooLarge)
        #expect(Journal.fault(Packed.gzip("<xournal><!--" + String(repeating: "-x", count: 10 << 20)))?.reason == .tooLarge)
    }

    @Test func invalidTextIsRefusedWithItsPlace() throws {
        let text = Array(Journal.document(#"<text size="9" x="1" y="1">@</text>"#).utf8)
        for bytes: [UInt8] in [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x00]] {
            let fault = try #require(Journal.fault(text.split(separator: UInt8(ascii: "@"))[0] + bytes + Array("</text>".utf8)))
            #expect(fault.reason == .malformed)
            #expect(fault.place != nil)
        }
    }

    @Test func marksInStrangePlacesAreNone() throws {
        let stroke = #"<stroke tool="pen" color="red" width="1">0 0 1 1</stroke>"#
        let text =
            "<xournal>\(stroke)<layer>\(stroke)</layer>" + Journal.page("<stroke>\(stroke)</stroke>") + "<page width='1' height='1'>"
            + "\(stroke)<page width='1' height='1'><layer>\(stroke)</layer></page></page></xournal>"
        let file = try Journal.read(text)
        #expect(file.marks.isEmpty)
        #expect(file.otherPages == 1)
        #expect(Journal.fault("<xournal><title/></xournal>")?.sentence == "has no pages")
        #expect(Journal.fault("<html><body>Not found</body></html>")?.sentence == "has no pages")
    }
}
