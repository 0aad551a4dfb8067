import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Library
@testable import Marks

@Suite(.onLoop)
struct DrawnMarksTests {
    @Test(arguments: [true, false]) @LoopActor func marksOfAPageComeByTheirDigest(isInline: Bool) async throws {
        let folder = TemporaryFolder()
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("a")])], in: folder)
        await stage.sync()
        let (library, a) = (stage.library, AttachmentID("a"))
        let chart = try #require(try library.charts.chart(of: a)).hash
        let marks = (0..<6).map { number in
            Mark(id: "\(number)", page: PageIndex(number % 3), kind: .pen, points: [Mark.Point(x: Double(number) / 10, y: 0.5)])
        }
        let now = Timestamp(nanoseconds: 1)
        var file = LocalFile(
            path: "/music/a.xopp", stamp: FileStamp(device: 1, inode: 1, size: 1, modified: 1), firstSeen: now, attachment: a,
            content: MarkFile(marks: marks))
        try library.markFiles.store([file])
        try library.layers.update(layers: [Layer(id: LayerID("ann"), attachment: a, marks: [marks[0]])], of: PlanID("1"), at: now)

        let drawn = DrawnMarks(library: library, side: SideThread(inline: isInline))
        try await drawn.look()
        let drawing = try #require(try library.drawings.drawing(of: a))
        let pages = try #require(try library.drawings.drawnPages(of: a, from: drawing)).pages(in: nil)
        let expected = PageMarks.join(try library.drawings.visibleLayers(of: a))
        #expect(pages == expected.mapValues(\.digest))
        // Several pages are requested together, because several are drawn at the same time.
        let asked = pages.map { page, digest in spawn { try? await drawn.marks(digest, on: page, of: chart) } }
        for (task, page) in zip(asked, pages.keys) {
            let answer = await task.value
            #expect(answer == expected[page])
        }
        let first = try #require(pages[PageIndex(0)])
        #expect(try await drawn.marks(first, on: PageIndex(1), of: chart) == nil)

        file.content?.marks.removeLast()
        file.content?.marks[0].width = 0.01
        try library.markFiles.store([file])
        drawn.rest()
        #expect(try await drawn.marks(first, on: PageIndex(0), of: chart) == nil)
        try await drawn.look()
        let later = try library.drawings.readDrawnPages(of: a, from: #require(try library.drawings.drawing(of: a))).pages(in: nil)
        #expect(later[PageIndex(1)] == pages[PageIndex(1)])
        #expect(later[PageIndex(0)] != first)
        await stage.agent.stop()
    }

    /// Without a second read, a musician's latest marks appear on the page sooner.
    @Test @LoopActor func marksThatWereReadToTellThemApartAreDrawnWithoutReadingThemAnew() async throws {
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("a")])])
        stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
        await stage.sync()
        let (library, a) = (stage.library, AttachmentID("a"))
        let chart = try #require(try library.charts.chart(of: a)).hash
        let drawn = DrawnMarks(library: library, side: SideThread(inline: true))
        let mark = Mark(id: "1", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.5), Mark.Point(x: 0.9, y: 0.5)])
        try library.layers.update(
            layers: [Layer(id: LayerID("ann"), attachment: a, marks: [mark])], of: PlanID("1"), at: Timestamp(nanoseconds: 1))
        try await drawn.look()
        let digest = try #require(try await drawn.digests(of: a, on: chart)[PageIndex(0)])
        try library.database.run("UPDATE layers SET marks = '[' || marks")
        #expect(try await drawn.marks(digest, on: PageIndex(0), of: chart)?.digest == digest)
        drawn.rest()
        await #expect(throws: LibraryError.self) { try await drawn.marks(digest, on: PageIndex(0), of: chart) }
        await stage.agent.stop()
    }
}
