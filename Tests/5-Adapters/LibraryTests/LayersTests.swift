import FoundationEssentials
import JSON
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct LayersTests {
    private let home = TemporaryFolder()
    private let plan = PlanID("1")

    private func layer(_ id: String, on attachment: String = "a", marks: [Mark] = []) -> Layer {
        Layer(
            id: LayerID(id), attachment: AttachmentID(attachment), personName: "Ann", name: "bowings", revision: 3,
            updatedAt: Samples.monday, deletedAt: nil, marks: marks)
    }

    private func mark(_ id: String) -> Mark {
        Mark(
            id: id, page: PageIndex(2), kind: .pen, color: Color(red: 1, green: 2, blue: 3, alpha: 4),
            points: [Mark.Point(x: 0.1, y: 1.0 / 3), Mark.Point(x: 0.2, y: 0.7, width: 0.001)], fill: 0.5, dash: [0.1, 0.2], cap: .butt,
            text: "p \"sub\"/ito\n", createdAt: Samples.monday + .nanoseconds(1))
    }

    @Test @LoopActor func layersComeBackWithEveryMark() throws {
        let library = try Library(folder: home.path)
        let layers = [layer("1", marks: [mark("x"), mark("y")]), layer("2"), layer("3", on: "b")]
        #expect(try !library.layers.update(layers: layers, of: plan, at: Samples.monday).isEmpty)
        #expect(try library.layers.all(of: AttachmentID("a")) == Array(layers.prefix(2)))
        #expect(try library.layers.all(of: AttachmentID("b")) == [layers[2]])
        #expect(try library.layers.all(of: AttachmentID("c")) == [])
    }

    @Test @LoopActor func unknownFieldsAndKindsAreKept() throws {
        let json = """
            {"id":"m","page":0,"kind":"hologram","points":[[0.5,0.5]],"color":"#102030",
             "depth":{"near":1.5,"layers":[true,null,"x/y"]},"future":[]}
            """
        let told = try JSONDecoder().decode(Mark.self, from: Data(json.utf8))
        let library = try Library(folder: home.path)
        try library.layers.update(layers: [layer("1", marks: [told])], of: plan, at: Samples.monday)
        let kept = try #require(try library.layers.all(of: AttachmentID("a")).first?.marks.first)
        #expect(kept == told)
        #expect(kept.kind == .unknown("hologram"))
        #expect(kept.unknown["depth"] == .object(["near": .number(1.5), "layers": .array([.bool(true), .null, .string("x/y")])]))
        #expect(kept.unknown["future"] == .array([]))
    }

    @Test @LoopActor func equalLayersWriteNotOneByte() throws {
        let library = try Library(folder: home.path)
        var marked = mark("x")
        marked.unknown = ["b": .number(1), "a": .object(["d": .null, "c": .bool(true)])]
        let layers = [layer("1", marks: [marked]), layer("2")]
        try library.layers.update(layers: layers, of: plan, at: Samples.monday)
        let bytes = try library.diskBytes()
        #expect(try library.layers.update(layers: layers, of: plan, at: Samples.monday) == [])
        #expect(try library.layers.update(layers: [layers[1]], of: plan, at: Samples.monday) == [])
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func aPollThatTellsLessDeletesNothing() throws {
        let library = try Library(folder: home.path)
        let layers = [layer("1", marks: [mark("x")]), layer("2")]
        try library.layers.update(layers: layers, of: plan, at: Samples.monday)
        try library.layers.update(layers: [], of: plan, at: Samples.monday)
        try library.layers.update(layers: [layers[0]], of: PlanID("other"), at: Samples.monday)
        #expect(try library.layers.all(of: AttachmentID("a")) == layers)
    }

    @Test @LoopActor func aChangedLayerIsReplacedAlone() throws {
        let library = try Library(folder: home.path)
        var layers = [layer("1", marks: [mark("x")]), layer("2", marks: [mark("y")])]
        try library.layers.update(layers: layers, of: plan, at: Samples.monday)
        layers[1].marks.append(mark("z"))
        layers[1].revision += 1
        #expect(try !library.layers.update(layers: layers, of: plan, at: Samples.monday).isEmpty)
        #expect(try library.layers.all(of: AttachmentID("a")) == layers)
    }

    @Test @LoopActor func aDeletedLayerIsKeptAndDrawsNothing() throws {
        let library = try Library(folder: home.path)
        var told = layer("1", marks: [mark("x")])
        try library.layers.update(layers: [told], of: plan, at: Samples.monday)
        #expect(PageMarks.join(try library.layers.all(of: told.attachment)).keys.map(\.value) == [2])
        told.deletedAt = Samples.monday
        #expect(try !library.layers.update(layers: [told], of: plan, at: Samples.monday).isEmpty)
        #expect(try library.layers.all(of: told.attachment) == [told])
        #expect(PageMarks.join(try library.layers.all(of: told.attachment)).isEmpty)
    }

    @Test @LoopActor func marksThatAreNoNumbersAreRefusedAndReplaceNothing() throws {
        let library = try Library(folder: home.path)
        let old = [layer("1", marks: [mark("x")]), layer("2")]
        try library.layers.update(layers: old, of: plan, at: Samples.monday)
        var broken = mark("x")
        broken.width = .nan
        #expect(throws: LibraryError.self) {
            try library.layers.update(layers: [layer("0"), layer("1", marks: [broken])], of: plan, at: Samples.monday)
        }
        #expect(try library.layers.all(of: AttachmentID("a")) == old)
    }

    @Test @LoopActor func layersThatVanishWithoutAWordAreKeptAndToldOnce() throws {
        let library = try Library(folder: home.path)
        let (whole, now, minute) = (
            Samples.contents("1", attachments: ["a", "b"].map { Samples.attachment($0) }), Samples.monday, Duration.seconds(60)
        )
        try library.plans.update([whole], at: now)
        let layers = ["a", "b", "elsewhere"].map {
            Layer(id: LayerID("on \($0)"), attachment: AttachmentID($0), personName: "Ann", name: "bowings", marks: [])
        }
        try library.layers.update(layers: layers, of: whole.plan.id, at: now)
        let gone = try library.layers.update(layers: [layers[1]], of: whole.plan.id, at: now)
        // The third layer's chart is not in the plan, so an answer without that layer is complete.
        #expect(gone == [.layerGone(.init(layers[0], chart: "a.pdf"))])
        #expect(try library.layers.all(of: AttachmentID("a")) == [layers[0]])
        #expect(try library.layers.gone() == [layers[0].id])

        let bytes = try library.diskBytes()
        #expect(try library.layers.update(layers: [layers[1]], of: whole.plan.id, at: now + minute) == [])
        #expect(try library.diskBytes() == bytes)

        #expect(try library.layers.update(layers: layers, of: whole.plan.id, at: now + minute) == [])
        #expect(try library.layers.gone() == [])
    }

    @Test @LoopActor func aDeletedLayerIsADeletionAndNotGone() throws {
        let library = try Library(folder: home.path)
        let (whole, now) = (Samples.contents("1", attachments: [Samples.attachment("a")]), Samples.monday)
        try library.plans.update([whole], at: now)
        var layer = Layer(id: LayerID("l"), attachment: AttachmentID("a"), name: "bowings", marks: [])
        #expect(try library.layers.update(layers: [layer], of: whole.plan.id, at: now) == [.layerAdded(.init(layer, chart: "a.pdf"))])
        layer.deletedAt = now
        #expect(try library.layers.update(layers: [layer], of: whole.plan.id, at: now) == [.layerDeleted(.init(layer, chart: "a.pdf"))])
        #expect(try library.layers.update(layers: [], of: whole.plan.id, at: now) == [])
    }
}
