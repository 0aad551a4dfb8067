import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// Marks on pages that their charts do not have.
@Suite(.onLoop)
struct MarksBeyondTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")
    private let ann = LayerID("ann")

    /// A library whose chart has `pages` pages. With `nil`, the pages have not been counted.
    @LoopActor private func library(pages: Int?) throws -> Library {
        let library = try Library(folder: home.path)
        let attachment = Samples.attachment("a", filename: "Grace.pdf")
        try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
        let hash = try library.download(Samples.pdf("a"), for: attachment)
        if let pages { try count(pages, of: hash, library) }
        return library
    }

    @LoopActor private func count(_ pages: Int, of hash: ChartHash, _ library: Library) throws {
        try library.charts.setDescription(
            StoredDescription(pages: [PageGeometry](repeating: PageGeometry(width: 600, height: 800), count: pages)), of: hash,
            by: RendererTag("r"))
    }

    private func marks(_ pages: [Int]) -> [Mark] {
        pages.enumerated().map { Mark(id: "\($0)", page: PageIndex($1), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)]) }
    }

    private func file(_ pages: [Int], at path: String = "/m/a.xopp", for attachment: String? = "a") -> LocalFile {
        LocalFile(
            path: path, stamp: Samples.stamp, firstSeen: Samples.monday, attachment: attachment.map { AttachmentID($0) },
            content: MarkFile(marks: marks(pages)))
    }

    private func layer(_ pages: [Int], deletedAt: Timestamp? = nil) -> Layer {
        Layer(id: ann, attachment: a, personName: "Ann", name: "bowings", deletedAt: deletedAt, marks: marks(pages))
    }

    @Test @LoopActor func filesAndLayersAreNamedWithThePagesThatAreNotThere() throws {
        let library = try library(pages: 2)
        try library.markFiles.store([file([0, 49, 2, 2]), file([0, 1], at: "/m/fits.xopp"), file([7], at: "/m/stray.xopp", for: nil)])
        try library.layers.update(layers: [layer([1, 5])], of: PlanID("1"), at: Samples.monday)
        let expected = [
            MarksBeyond(
                attachment: a, filename: "Grace.pdf", layer: ann, name: "bowings", person: "Ann", pages: [PageIndex(5)], chartPages: 2),
            MarksBeyond(
                attachment: a, filename: "Grace.pdf", layer: LayerID("file:/m/a.xopp"), pages: [PageIndex(2), PageIndex(49)], chartPages: 2),
        ]
        #expect(try library.drawings.marksBeyond() == expected)
        #expect(expected.map(\.path) == [nil, "/m/a.xopp"])
        #expect(try Library(readingFrom: home.path).drawings.marksBeyond() == expected)
    }

    @Test @LoopActor func whatIsMovedHiddenOrDeletedIsNotNamed() throws {
        let library = try library(pages: 2)
        try library.markFiles.store([file([9])])
        #expect(try library.drawings.marksBeyond().count == 1)
        // A file that is stored again without being read keeps its pages.
        var known = try #require(try library.markFiles.writtenFile(at: "/m/a.xopp"))
        known.file.fault = "is cut off"
        try library.markFiles.store(written: [known])
        #expect(try library.drawings.marksBeyond().map(\.pages) == [[PageIndex(9)]])
        try library.drawings.setHidden(true, layer: LayerID("file:/m/a.xopp"), of: a)
        #expect(try library.drawings.marksBeyond().isEmpty)
        try library.drawings.setHidden(false, layer: LayerID("file:/m/a.xopp"), of: a)
        try library.markFiles.store([file([1])])
        #expect(try library.drawings.marksBeyond().isEmpty)
        try library.layers.update(layers: [layer([5])], of: PlanID("1"), at: Samples.monday)
        #expect(try library.drawings.marksBeyond().count == 1)
        try library.layers.update(layers: [layer([5], deletedAt: Samples.monday)], of: PlanID("1"), at: Samples.monday)
        #expect(try library.drawings.marksBeyond().isEmpty)
    }

    @Test @LoopActor func nothingIsSaidOfAChartWhosePagesAreNotCounted() throws {
        let library = try library(pages: nil)
        try library.markFiles.store([file([9])])
        #expect(try library.drawings.marksBeyond().isEmpty)
        try count(3, of: #require(try library.charts.chart(of: a)).hash, library)
        #expect(try library.drawings.marksBeyond().map(\.chartPages) == [3])
    }

    @Test @LoopActor func statesCarryTheNotes() throws {
        let library = try library(pages: 1)
        var file = file([0])
        try library.markFiles.store([file])
        #expect(try library.markFiles.states().map(\.notes) == [[]])
        file.content?.notes = ["strokes without points left out: 1 (page 1)"]
        try library.markFiles.store([file])
        #expect(try library.markFiles.states().map(\.notes) == [["strokes without points left out: 1 (page 1)"]])
    }

    @Test @LoopActor func filesBelowAFolderComeInPieces() throws {
        let library = try library(pages: 1)
        let paths = ["/m/a.xopp", "/m/b/c.xopp", "/m/z.xopp"]
        try library.markFiles.store((paths + ["/m0.xopp", "/l/a.xopp"]).map { file([0], at: $0) })
        #expect(try library.markFiles.stamps(below: "/m", atMost: 2).map(\.path) == Array(paths[..<2]))
        #expect(try library.markFiles.stamps(below: "/m", after: paths[1], atMost: 2).map(\.path) == [paths[2]])
        #expect(try library.markFiles.stamps(below: "/m", after: paths[2], atMost: 2).isEmpty)
        #expect(try library.markFiles.stamps(below: "/", atMost: 2).map(\.path) == ["/l/a.xopp", paths[0]])
    }
}
