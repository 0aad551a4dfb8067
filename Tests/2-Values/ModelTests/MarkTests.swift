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
