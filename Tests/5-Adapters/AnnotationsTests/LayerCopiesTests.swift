import Annotations
import LayerJoin
import Model
import Testing

struct LayerCopiesTests {
    /// A mark that comes back from a PDF lacks some details: the `stamp` field of a browser's stamp, most digits of a width, the corner
    /// from which a rectangle was drawn, and the colour of an eraser. None of these differences makes a new mark.
    @Test func whatComesBackFromAPDFIsKnown() throws {
        let marks = """
            {"id": "a", "page": 0, "kind": "pen", "stamp": "fermata", "width": 0.00285714285, "points": [[0.1, 0.2, 0.00123]]},
            {"id": "b", "page": 0, "kind": "rectangle", "points": [[0.4, 0.1], [0.2, 0.3]], "key": "G"},
            {"id": "c", "page": 0, "kind": "eraser", "color": "#FFFFFF", "points": [[0.4, 0.1], [0.2, 0.3]]}
            """
        let layer = try LayerDocument(Array("{\"marks\": [\(marks)]}".utf8)).layer
        var returned = [
            Mark(id: "1", page: PageIndex(0), kind: .pen, width: 0.00286, points: [Mark.Point(x: 0.1, y: 0.2, width: 0.00123)]),
            Mark(id: "2", page: PageIndex(0), kind: .rectangle, points: [Mark.Point(x: 0.2, y: 0.1), Mark.Point(x: 0.4, y: 0.3)]),
            Mark(id: "3", page: PageIndex(0), kind: .eraser, points: [Mark.Point(x: 0.4, y: 0.1), Mark.Point(x: 0.2, y: 0.3)]),
        ]
        let now = Timestamp(nanoseconds: 0)
        #expect(try LayerCopies.of(returned, newTo: layer, at: now).isEmpty)
        returned[0].points[0].x = 0.10001
        #expect(try LayerCopies.of(returned, newTo: layer, at: now).count == 1)
    }

    @Test func aCopiedJumpLeadsToTheCopyOfItsLanding() throws {
        var jump = Mark(id: "j", page: PageIndex(1), kind: .jump, points: [Mark.Point(x: 0.9, y: 0.8)])
        jump.leads = "l"
        let marks = [jump, Mark(id: "l", page: PageIndex(0), kind: .landing, points: [Mark.Point(x: 0.1, y: 0.2)])]
        let now = Timestamp(nanoseconds: 0)
        let copies = try LayerCopies.of(marks, newTo: JoinedLayer(), at: now)
        let read = NativeLayerReader.marks(of: copies)
        let landing = try #require(read.first { $0.kind == .landing })
        #expect(read.first { $0.kind == .jump }?.leads == landing.id && landing.id != "l")
        #expect(try LayerCopies.of(marks, newTo: JoinedLayer(copies), at: now).isEmpty)
    }

    /// Which place is found for a mark may change with the method. A copy that was moved or deleted on the other chart stays so.
    @Test func aMarkIsBroughtToAnotherChartOnceWhereverItsPlaceIsFound() throws {
        var jump = Mark(id: "j", page: PageIndex(1), kind: .jump, points: [Mark.Point(x: 0.9, y: 0.8)])
        jump.leads = "l"
        let marks = [jump, Mark(id: "l", page: PageIndex(0), kind: .landing, points: [Mark.Point(x: 0.1, y: 0.2)])]
        let (chart, now) = (AttachmentID("1"), Timestamp(nanoseconds: 0))
        var brought = try LayerCopies.named(marks, of: chart)
        #expect(brought[0].leads == brought[1].id && brought[1].id != "l")
        let layer = JoinedLayer(try LayerCopies.of(brought, newTo: JoinedLayer(), at: now, areBrought: true))
        #expect(Set(NativeLayerReader.marks(of: layer.marks).map(\.id)) == Set(brought.map(\.id)))
        brought[0].points[0].x = 0.5
        #expect(try LayerCopies.of(brought, newTo: layer, at: now, areBrought: true).isEmpty)
        let renamed = marks.map { Mark(id: $0.id + "x", page: $0.page, kind: $0.kind, points: $0.points) }
        #expect(try LayerCopies.named([renamed[1]], of: chart)[0].id == brought[1].id, "the same mark has the same copy")
        #expect(try LayerCopies.named([marks[1]], of: AttachmentID("2"))[0].id != brought[1].id)
    }
}
