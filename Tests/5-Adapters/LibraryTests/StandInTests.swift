import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// A chart is uploaded again under another id: the former one stands in until the new one is here, and its layers move along.
@Suite(.onLoop)
struct StandInTests {
    private let home = TemporaryFolder()
    private let other = Samples.attachment("a")
    private let old = Samples.attachment("b")
    private let new = Samples.attachment("b2", filename: "B.pdf")
    private let one = Samples.pdf("1")
    private let two = Samples.pdf("2")
    private let layer = LayerID("l")

    /// A plan of two songs; the second song shows `charts`.
    private func contents(_ charts: [Attachment]) -> PlanContents {
        var contents = Samples.contents("1", attachments: [other, old])
        contents.items[1].attachments = charts
        return contents
    }

    @LoopActor private func show(_ charts: Attachment..., in library: Library, after minutes: Int = 1) throws {
        try library.plans.update([contents(charts)], at: Samples.monday + .seconds(60 * minutes))
    }

    @LoopActor private func tell(_ layers: [Layer], _ library: Library) throws {
        try library.layers.update(layers: layers, of: PlanID("1"), at: Samples.monday)
    }

    /// A library with both songs; the second has a layer of marks.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try show(old, in: library, after: 0)
        for chart in [other, old] { try library.download(chart == old ? one : Samples.pdf("a"), for: chart) }
        try tell([Layer(id: layer, attachment: old.id, marks: [Samples.mark("x")])], library)
        return library
    }

    @Test @LoopActor func theFormerOneStandsUntilTheNewOneIsHere() throws {
        let library = try library()
        try show(new, in: library)
        let stored = try #require(try library.charts.chart(of: new.id))
        #expect(stored.hash == Samples.hash(one) && stored.version != new.version)
        try library.download(two, for: new)
        #expect(try library.charts.chart(of: new.id)?.hash == Samples.hash(two))
    }

    @Test @LoopActor func anotherNameIsAnotherChartAndOfTwoThatItMayBeNoneStands() throws {
        let (named, twin) = (Samples.attachment("c", filename: "c.pdf"), Samples.attachment("b3", filename: "b.pdf"))
        for charts in [[named], [new, twin]] {
            let place = TemporaryFolder()
            let library = try Library(folder: place.path)
            for charts in [[old], charts] { try library.plans.update([contents(charts)], at: Samples.monday) }
            try library.plans.update([contents([old])], at: Samples.monday)
            try library.download(one, for: old)
            try library.plans.update([contents(charts)], at: Samples.monday)
            for chart in charts { #expect(try library.charts.chart(of: chart.id) == nil) }
        }
    }

    /// The service may name the new chart, none, or an unrelated one; the layer must not move to an unrelated chart.
    @Test(arguments: ["b2", "", "a"]) @LoopActor func itsLayersMoveAlongAndBackWhateverTheServiceNames(named: String) throws {
        let library = try library()
        try library.drawings.setHidden(true, layer: layer, of: old.id)
        try show(new, in: library)
        for isHere in [false, true] {
            if isHere { try library.download(two, for: new) }
            let told = Layer(id: layer, attachment: AttachmentID(named), revision: 2, marks: [Samples.mark("x")])
            try tell(named.isEmpty ? [] : [told], library)
            #expect(try library.layers.all(of: new.id).map(\.id) == [layer] && library.layers.all(of: other.id).isEmpty)
            #expect(try library.layers.doubts().count == (named == "a" ? 1 : 0))
            #expect(try library.drawings.hiddenLayers(of: new.id) == [layer], "it was hidden, and is")
        }
        // The service shows the former chart again.
        try show(old, in: library, after: 2)
        try tell([Layer(id: layer, attachment: old.id, revision: 3, marks: [Samples.mark("x")])], library)
        #expect(try library.layers.all(of: old.id).map(\.id) == [layer] && library.drawings.hiddenLayers(of: old.id) == [layer])
    }
}
