import FoundationEssentials
import JSON
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MarkTests {
    private func mark(_ json: String) throws -> Mark { try JSONDecoder().decode(Mark.self, from: Data(json.utf8)) }
    private func layer(_ id: String, _ marks: [Mark]) -> Layer { Layer(id: LayerID(id), attachment: AttachmentID("a"), marks: marks) }
    private func dot(_ id: String, page: Int = 0, at time: String? = nil, x: Double = 0.5) -> Mark {
        Mark(id: id, page: PageIndex(page), kind: .pen, points: [.init(x: x, y: 0.5)], createdAt: time.flatMap { Timestamp($0) })
    }

    @Test func unknownFieldsAndKindsSurvive() throws {
        let json = #"{"id":"1","page":2,"kind":"sparkle","points":[[0.1,0.2,0.3]],"glitter":{"n":[1,null,"x"]}}"#
        let read = try mark(json)
        #expect(read.kind == .unknown("sparkle"))
        #expect(!read.isDrawn)
        let again = try JSONDecoder().decode(Mark.self, from: JSONEncoder().encode(read))
        #expect(again == read)
        #expect(again.unknown["glitter"] == .object(["n": .array([.number(1), .null, .string("x")])]))
    }

    @Test(arguments: [(#""Eb""#, "Eb"), (#""whatever""#, "whatever"), ("7", nil), (#"["Eb"]"#, nil)])
    func theKeyOfAMarkSurvives(written: String, key: String?) throws {
        let read = try mark(#"{"id":"1","page":2,"kind":"pen","key":\#(written)}"#)
        #expect(read.key == key && (read.chordKey == nil) == (key != "Eb"))
        let again = String(decoding: try JSONEncoder().encode(read), as: UTF8.self)
        #expect(again.contains(#""key":\#(written)"#))
    }

    @Test(arguments: [("2", 2), ("0", nil), ("10", nil), (#""2""#, nil), ("2.5", nil)])
    func thePassOfAMarkSurvives(written: String, pass: Int?) throws {
        let read = try mark(#"{"id":"1","page":2,"kind":"jump","leads":"l","pass":\#(written)}"#)
        #expect(read.kind == .jump && read.leads == "l" && read.pass == pass)
        let again = String(decoding: try JSONEncoder().encode(read), as: UTF8.self)
        #expect(again.contains(#""pass":\#(written)"#) && again.contains(#""leads":"l""#))
    }

    @Test func aKeyIsTheSameUnderEachOfItsNames() {
        for names in [["C", "B#"], ["Db", "C#", "D♭", "C♯"], ["B", "Cb"], ["F#m", "Gbm", "G♭m"]] {
            #expect(Set(names.map { ChordKey($0) }).count == 1 && ChordKey(names[0]) != nil, "\(names)")
            #expect(Set(ChordKey.names(of: names[0])) == Set(names.filter { !$0.contains("♭") && !$0.contains("♯") }))
        }
        #expect(ChordKey("G") != ChordKey("Gm") && ChordKey("G") != ChordKey("Gb"))
        for text in ["", "H", "g", "Ebb", "G major", "Gm7", "#", "m"] {
            #expect(ChordKey(text) == nil && ChordKey.names(of: text).isEmpty, "\(text)")
        }
        let all = ["A", "B", "C", "D", "E", "F", "G"].flatMap { letter in ["", "#", "b"].map { letter + $0 } }.flatMap { [$0, $0 + "m"] }
        #expect(Set(all.map { ChordKey($0) }).count == 24)
        for name in all { #expect(ChordKey("\(ChordKey(name).map { "\($0)" } ?? "")") == ChordKey(name)) }
    }

    /// The key must count: a file with the same marks for another key is not a copy.
    @Test func theSameInkForAnotherKeyIsAnotherMark() {
        var (inG, inA) = (dot("1"), dot("1"))
        (inG.key, inA.key) = ("G", "A")
        #expect(inG.drawingSum != inA.drawingSum && inG.drawingSum != dot("1").drawingSum)
        inA.key = "none"
        #expect(inA.drawingSum == dot("1").drawingSum)
    }

    @Test func digestKnowsOnlyWhatIsDrawn() throws {
        var other = dot("another id", at: "2026-01-01T00:00:00Z")
        other.unknown = ["note": .string("x")]
        #expect(PageMarks(drawing: [dot("1")])?.digest == PageMarks(drawing: [other])?.digest)
        #expect(PageMarks(drawing: [dot("1")])?.digest != PageMarks(drawing: [dot("1", x: 0.51)])?.digest)
    }

    @Test func textCannotSpellAnotherMark() {
        func text(_ text: String, font: String? = nil) -> Mark {
            Mark(id: "t", page: PageIndex(0), kind: .text, points: [.init(x: 0, y: 0)], text: text, setting: .init(size: 0.02, font: font))
        }
        #expect(PageMarks(drawing: [text("a|b")])?.digest != PageMarks(drawing: [text("a", font: "b")])?.digest)
        #expect(PageMarks(drawing: [text("a\nb")])?.digest != PageMarks(drawing: [text("a"), text("b")])?.digest)
    }

    @Test func marksAreDrawnByCreationThenLayerThenPlace() {
        let early = dot("early", at: "2026-01-01T00:00:00.1Z", x: 0.1)
        let late = dot("late", at: "2026-01-01T00:00:00.2Z", x: 0.2)
        let tie = dot("tie", at: "2026-01-01T00:00:00.1Z", x: 0.3)
        let undated = dot("undated", x: 0.4)
        let pages = PageMarks.join([layer("b", [late, tie]), layer("a", [early, undated])])
        #expect(pages[PageIndex(0)]?.marks.map(\.id) == ["undated", "early", "tie", "late"])
    }

    @Test func whatTwoLayersHaveIsDrawnOnceAndWhatOneHasTwiceIsDrawnTwice() {
        let shared = [dot("a", x: 0.1), dot("b", x: 0.2)]
        let moved = dot("b", x: 0.3)
        let pages = PageMarks.join([layer("1", shared), layer("2", [shared[0], moved]), layer("3", [dot("c", x: 0.4), dot("c", x: 0.4)])])
        #expect(pages[PageIndex(0)]?.marks.map { $0.points[0].x } == [0.1, 0.2, 0.3, 0.4, 0.4])
    }

    @Test func deletedLayersAndEmptyPagesDrawNothing() {
        var deleted = layer("a", [dot("1")])
        deleted.deletedAt = Timestamp(nanoseconds: 1)
        let invisible = Mark(id: "2", page: PageIndex(1), kind: .text, points: [.init(x: 0, y: 0)], text: "", setting: .init(size: 0.1))
        #expect(PageMarks.join([deleted, layer("b", [invisible])]).isEmpty)
    }

    @Test func marksWithImpossibleNumbersAreNotDrawn() {
        #expect(!dot("nan", x: .nan).isDrawn)
        #expect(!dot("infinite", x: .infinity).isDrawn)
    }

    @Test func aMarkOnTheLastPageThereCouldBeCanBeNamed() {
        #expect(PageIndex(.max).number == .max)
        #expect(PageIndex(0).description == "page 1")
    }
}
