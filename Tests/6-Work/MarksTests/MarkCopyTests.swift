import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// Copies of a file of marks, which would draw everything twice: how they appear, are chosen and disappear.
@Suite(.onLoop)
struct MarkCopyTests {
    private typealias Dot = MarkText.Dot
    private static let dots = (0..<6).map { Dot(page: $0 % 2, x: Double($0) / 8) }
    private let a = AttachmentID("a")

    /// A chart with one file of marks, and a second one with `dots` that is saved later.
    @LoopActor private func marked(_ name: String, _ dots: [Dot]) async throws -> (MarkDesk, before: [String: [PageIndex: MarkDigest]]) {
        let desk = try await MarkDesk(["a"])
        let link = desk.music.path(try desk.link("a"))
        try desk.music.save(MarkText.journal(link, Self.dots), as: "x.xopp")
        await desk.quiet()
        let before = try desk.drawn()
        try desk.music.save(MarkText.journal(link, dots), as: name)
        await desk.quiet()
        return (desk, before)
    }

    /// The second file was saved last, so the first is left out, unless the second file's name shows that the second is a copy.
    @Test(arguments: [("x (copy).xopp", "x (copy).xopp"), ("another.xopp", "x.xopp")])
    @LoopActor func aCopyChangesNothingOnThePages(name: String, leftOut: String) async throws {
        let (desk, before) = try await marked(name, Self.dots)
        for _ in 0..<2 {
            #expect(try desk.drawn() == before && before["a"]?.count == 2)
            let copies = try desk.library.drawings.copiesLeftOut(of: a)
            #expect(copies.map(\.path) == [desk.music.path(leftOut)] && copies.map(\.marksOnlyHere) == [0])
            #expect(try desk.library.markFiles.all().count == 2, "it is known all the same")
            await desk.end()
            try await desk.beginAgain()
        }
    }

    @Test @LoopActor func marksOfACopyAloneAreCountedUntilSomebodyChooses() async throws {
        let (desk, before) = try await marked("x (copy).xopp", Self.dots.dropLast() + [Dot(page: 0, x: 0.9)])
        let drawings = desk.library.drawings
        func layer(_ name: String) -> LayerID { LocalFile.layerID(ofFile: desk.music.path(name)) }
        let copy = MarkCopies.Copy(path: desk.music.path("x (copy).xopp"), other: desk.music.path("x.xopp"), marksOnlyHere: 1)
        #expect(try drawings.copiesLeftOut() == [a: [copy]] && desk.drawn() == before)
        #expect(try drawings.setHidden(false, layer: layer("x (copy).xopp"), of: a))
        #expect(try drawings.copiesLeftOut() == [:] && drawings.visibleLayers(of: a).count == 2 && desk.drawn() != before)
        #expect(try !drawings.setHidden(false, layer: layer("x (copy).xopp"), of: a), "it was so before")
        // The choice to draw the copy also holds after the file was renamed.
        try desk.music.rename("x (copy).xopp", to: "kept.xopp")
        await desk.quiet()
        #expect(try drawings.copiesLeftOut() == [:])
        #expect(try drawings.setHidden(true, layer: layer("kept.xopp"), of: a))
        #expect(try drawings.copiesLeftOut() == [:] && drawings.visibleLayers(of: a).count == 1, "it was chosen to be hidden")
    }

    @Test(arguments: [true, false]) @LoopActor func theCopyIsDrawnWhenTheFileIsDeletedOrHidden(isDeleted: Bool) async throws {
        let (desk, before) = try await marked("x (copy).xopp", Self.dots)
        if isDeleted {
            try desk.music.delete("x.xopp")
            await desk.quiet()
        } else {
            try desk.library.drawings.setHidden(true, layer: LocalFile.layerID(ofFile: desk.music.path("x.xopp")), of: a)
        }
        #expect(try desk.library.drawings.visibleLayers(of: a).map(\.name) == ["x (copy)"] && desk.drawn() == before)
    }
}
