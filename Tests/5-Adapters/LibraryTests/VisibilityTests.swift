import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct VisibilityTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")
    private let ann = LayerID("ann")

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        let deleted = Layer(
            id: LayerID("gone"), attachment: a, deletedAt: Samples.monday, marks: [Samples.mark("g")])
        try library.layers.update(
            layers: [Layer(id: ann, attachment: a, marks: [Samples.mark("x")]), deleted], of: PlanID("1"), at: Samples.monday)
        try library.markFiles.store([Samples.localFile("/music/a.xopp", for: a, marks: ["y"])])
        return library
    }

    @Test @LoopActor func aHiddenLayerIsNotDrawnUntilItIsShown() throws {
        let library = try library()
        let mine = LayerID("file:/music/a.xopp")
        #expect(try library.drawings.visibleLayers(of: a).map(\.id) == [ann, mine])
        #expect(try library.drawings.setHidden(true, layer: mine, of: a))
        #expect(try !library.drawings.setHidden(true, layer: mine, of: a))
        #expect(try library.drawings.hiddenLayers(of: a) == [mine])
        #expect(try library.drawings.visibleLayers(of: a).map(\.id) == [ann])

        // After an absence, the file is still hidden, but only on this chart.
        try library.markFiles.store([], forgetting: ["/music/a.xopp"])
        try library.markFiles.store([Samples.localFile("/music/a.xopp", for: a, marks: ["y"])])
        #expect(try library.drawings.visibleLayers(of: a).map(\.id) == [ann])
        #expect(try library.drawings.hiddenLayers(of: AttachmentID("b")) == [])

        #expect(try library.drawings.setHidden(false, layer: mine, of: a))
        #expect(try !library.drawings.setHidden(false, layer: mine, of: a))
        #expect(try library.drawings.visibleLayers(of: a).map(\.id) == [ann, mine])
    }

    @Test @LoopActor func hidingAFileHidesNoneWhoseNameIsTheSameInAnotherUnicodeForm() throws {
        let library = try library()
        let files = ["/music/\u{E9}.xopp", "/music/e\u{301}.xopp"]
        try library.markFiles.store([
            Samples.localFile(files[0], for: a, marks: ["1", "2"]), Samples.localFile(files[1], for: a, marks: ["3", "4"]),
        ])
        #expect(try library.drawings.setHidden(true, layer: LayerID("file:" + files[0]), of: a))
        #expect(try library.drawings.hiddenLayers(of: a).contains(LayerID("file:" + files[0])))
        #expect(try !library.drawings.hiddenLayers(of: a).contains(LayerID("file:" + files[1])))
    }

    @Test @LoopActor func itIsHiddenBesideARunningAgent() throws {
        let library = try library()
        #expect(
            try Library.change(in: home.path) { library throws(LibraryError) in try library.drawings.setHidden(true, layer: ann, of: a) })
        #expect(try library.drawings.hiddenLayers(of: a) == [ann])
        #expect(
            try Library.change(in: home.path) { library throws(LibraryError) in try library.drawings.setHidden(false, layer: ann, of: a) })
        #expect(try library.drawings.hiddenLayers(of: a) == [])
        #expect(throws: LibraryError.missing(path: home.path("nowhere/catalogue.sqlite"))) {
            try Library.change(in: home.path("nowhere")) { library throws(LibraryError) in
                try library.drawings.setHidden(true, layer: ann, of: a)
            }
        }
    }
}
