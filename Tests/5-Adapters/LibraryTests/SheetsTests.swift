import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

/// Marks made on pages of another size than the chart's.
@Suite(.onLoop)
struct SheetsTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")
    private let page = PageIndex(0)

    private func file(width: Double, height: Double) -> LocalFile {
        let point = Mark.Point(x: 60 / width, y: 80 / height, width: 6 / width)
        var mark = Mark(
            id: "1", page: page, kind: .pen, width: 6 / width, points: [point, point], dash: [3 / width], setting: .init(size: 12 / width))
        mark.setting.point = 1 / width
        mark.setting.wrap = 120 / width
        return LocalFile(
            path: "/m/a.xopp", stamp: Samples.stamp, firstSeen: Samples.monday, attachment: a,
            content: MarkFile(marks: [mark], sheets: [page: PageGeometry(width: width, height: height)]))
    }

    @LoopActor private func library() throws -> (Library, ChartHash) {
        let library = try Library(folder: home.path)
        let attachment = Samples.attachment("a", filename: "Grace.pdf")
        try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
        return (library, try library.download(Samples.pdf("a"), for: attachment))
    }

    @LoopActor private func measure(_ chart: ChartHash, _ library: Library) throws {
        try library.charts.setDescription(
            StoredDescription(pages: [PageGeometry(width: 600, height: 800)]), of: chart, by: RendererTag("r"))
    }

    /// The drawn marks, computed in two ways that must agree.
    @LoopActor private func drawn(_ library: Library) throws -> [PageIndex: MarkDigest] {
        let pages = PageMarks.join(try library.drawings.visibleLayers(of: a)).mapValues(\.digest)
        let drawing = try #require(try library.drawings.drawing(of: a))
        #expect(try library.drawings.all()[a] == drawing)
        #expect(try library.drawings.readDrawnPages(of: a, from: drawing).pages(in: nil) == pages)
        return pages
    }

    @Test @LoopActor func theyLieInPointsFromTheTopLeft() throws {
        let (library, chart) = try library()
        try library.markFiles.store([file(width: 300, height: 1600)])
        #expect(try library.drawings.visibleLayers(of: a).first?.marks.first?.points.first?.x == 0.2)
        let before = try drawn(library)
        try measure(chart, library)
        let mark = try #require(try library.drawings.visibleLayers(of: a).first?.marks.first)
        #expect(mark.points == [Mark.Point](repeating: Mark.Point(x: 0.1, y: 0.1, width: 0.01), count: 2))
        #expect(mark.width == 0.01 && mark.dash == [0.005] && mark.setting.size == 0.02)
        #expect(mark.setting.point == 1 / 600.0 && mark.setting.wrap == 0.2)
        let after = try drawn(library)
        #expect(after != before)
        // Marks made on a page of the chart's own size draw the same.
        try library.markFiles.store([file(width: 600, height: 800)])
        #expect(try drawn(library) == after)
        #expect(try library.markFiles.file(at: "/m/a.xopp")?.content?.sheets == [page: PageGeometry(width: 600, height: 800)])
    }

    @Test @LoopActor func theDifferenceIsSaid() throws {
        let (library, chart) = try library()
        try library.markFiles.store([file(width: 300, height: 1600)])
        #expect(try library.markFiles.states().flatMap(\.notes).isEmpty)
        try measure(chart, library)
        #expect(
            try library.markFiles.states().map(\.notes) == [
                [
                    "these marks were drawn on a page of another size, so they may be out of place: "
                        + "page 1 (300 × 1600 points there, 600 × 800 here)"
                ]
            ])
        #expect(try Library(readingFrom: home.path).markFiles.states().flatMap(\.notes).count == 1)
        // Sizes that differ only by a program's rounding count as equal.
        try library.markFiles.store([file(width: 600.4, height: 799.5)])
        #expect(try library.markFiles.states().flatMap(\.notes).isEmpty)
    }

    @Test @LoopActor func theSameFractionsOfAnotherPageAreOtherMarks() throws {
        let (library, chart) = try library()
        try measure(chart, library)
        var file = file(width: 600, height: 800)
        try library.markFiles.store([file])
        let before = try drawn(library)
        file.content?.sheets = [page: PageGeometry(width: 300, height: 800)]
        #expect(try !WrittenFile(file).draws(as: library.markFiles.writtenFile(at: file.path)))
        try library.markFiles.store([file])
        #expect(try drawn(library) != before)
    }
}
