import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// The jumps and bookmarks of charts, from their marks and their PDFs.
@Suite(.onLoop)
struct PlacesTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")

    private func layer(_ id: String, _ marks: [Mark]) -> Layer { Layer(id: LayerID(id), attachment: a, personName: "Ann", marks: marks) }

    private func mark(_ kind: Mark.Kind, _ id: String, key: String? = nil) -> Mark {
        var mark = Mark(id: id, page: PageIndex(0), kind: kind, points: [Mark.Point(x: 0.5, y: 0.5)])
        (mark.key, mark.text, mark.leads) = (key, kind == .bookmark ? id : nil, kind == .jump ? "l" : nil)
        return mark
    }

    @Test @LoopActor func placesAreThoseOfTheLayersThatAreShown() throws {
        let library = try Library(folder: home.path)
        let plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        try library.plans.update([plan], at: Samples.monday)
        try library.layers.update(layers: [layer("pen", [mark(.pen, "p")])], of: plan.plan.id, at: Samples.monday)
        #expect(try library.drawings.places(of: a, in: nil).isEmpty)
        let layers = [
            layer("ann", [mark(.jump, "j"), mark(.landing, "l"), mark(.bookmark, "everywhere")]),
            layer("bob", [mark(.bookmark, "in G", key: "G")]),
        ]
        try library.layers.update(layers: layers, of: plan.plan.id, at: Samples.monday)
        let places = try library.drawings.places(of: a, in: ChordKey("G"))
        #expect(places.jumps.map(\.id) == ["j"] && places.bookmarks.map(\.title) == ["everywhere", "in G"])
        #expect(try library.drawings.places(of: a, in: ChordKey("A")).bookmarks.map(\.title) == ["everywhere"])
        _ = try library.drawings.setHidden(true, layer: LayerID("ann"), of: a)
        let shown = try library.drawings.places(of: a, in: ChordKey("G"))
        #expect(shown.jumps.isEmpty && shown.bookmarks.map(\.title) == ["in G"])
    }

    @Test @LoopActor func onlyOutlinesOfManyEntriesAreThoseOfBooks() throws {
        let library = try Library(folder: home.path)
        let attachments = ["a", "b", "c"].map { Samples.attachment($0) }
        try library.plans.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        let entry = ChartBookmark(id: "entry-1", title: "So What", place: PagePlace(page: PageIndex(11)))
        var hashes: [ChartHash] = []
        for (attachment, count) in zip(attachments, [0, 4, 5]) {
            hashes.append(try library.download(Samples.pdf(attachment.id.text), for: attachment))
            #expect(try library.charts.places(in: hashes.last!) == nil, "nobody looked")
            try library.charts.setPlaces(ChartPlaces(bookmarks: Array(repeating: entry, count: count)), in: hashes.last!)
        }
        #expect(try library.charts.outlines(ofAtLeast: 5) == [hashes[2]: Array(repeating: entry, count: 5)])
        #expect(try library.charts.places(in: hashes[0]) == ChartPlaces())
    }
}
