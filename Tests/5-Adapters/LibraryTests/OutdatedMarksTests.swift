import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct OutdatedMarksTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let ann = LayerID("ann")
    private let path = "/music/a.xopp"
    private let one = Samples.pdf("1")
    private let two = Samples.pdf("2")

    /// An attachment whose chart was replaced, with Ann's marks on its first and second page and the user's on the first.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(one, for: a)
        var second = Samples.mark("y")
        second.page = PageIndex(1)
        try library.layers.update(
            layers: [Layer(id: ann, attachment: a.id, marks: [Samples.mark("x"), second])], of: PlanID("1"), at: Samples.monday)
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["z"])])
        try library.download(two, for: a)
        return library
    }

    private func pair(_ page: Int) -> PagePair {
        PagePair(former: Samples.hash(one), chart: Samples.hash(two), page: PageIndex(page))
    }

    private func outdated(_ layer: LayerID, _ pages: [Int]) -> OutdatedMarks {
        OutdatedMarks(
            attachment: a.id, chart: Samples.hash(two), layer: layer, former: Samples.hash(one), pages: pages.map { PageIndex($0) })
    }

    @Test @LoopActor func nothingIsClaimedUntilPagesWereCompared() throws {
        let library = try library()
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try library.olderMarks.pagesToCompare() == [pair(0), pair(1)])

        #expect(try library.olderMarks.record([pair(1): false], at: Samples.monday) == [])
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try library.olderMarks.pagesToCompare() == [pair(0)])

        let news = try library.olderMarks.record([pair(0): true], at: Samples.monday)
        #expect(news == [.marksOutdated(.init(id: a.id, name: "a.pdf"), pages: [PageIndex(0)])])
        #expect(try library.journal.entries().map(\.change).contains(news[0]))
        #expect(try library.olderMarks.outdatedMarks(of: a.id) == [outdated(ann, [0]), outdated(LayerID("file:" + path), [0])])
        #expect(try library.olderMarks.outdatedMarks(of: AttachmentID("b")) == [])
        #expect(try library.olderMarks.pagesToCompare() == [])
        #expect(try library.olderMarks.record([pair(0): true], at: Samples.monday) == [], "told once")
        #expect(news[0].sentence.contains("are on page 1, which looks different now"))
        #expect(news[0].sentence.contains("woodshed accept a"))
    }

    @Test @LoopActor func acceptedMarksAreNotOutdated() throws {
        let library = try library()
        try library.olderMarks.record([pair(0): true, pair(1): true], at: Samples.monday)
        #expect(try library.olderMarks.outdatedMarks().map(\.pages) == [[PageIndex(0), PageIndex(1)], [PageIndex(0)]])
        #expect(try library.accept(chart: a.id) == .marks)
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try library.olderMarks.pagesToCompare() == [])
    }

    @Test @LoopActor func theOldChartStaysForAsLongAsMarksWereMadeOnIt() throws {
        let library = try library()
        try library.olderMarks.record([pair(0): true, pair(1): true], at: Samples.monday)
        for month in 1...3 { #expect(try library.pruneWatched(now: Samples.monday + .seconds(month * 31 * 86_400)) == []) }
        #expect(try library.charts.hasBytes(of: Samples.hash(one)))
        #expect(try library.olderMarks.outdatedMarks().count == 2)

        try library.layers.update(
            layers: [Layer(id: ann, attachment: a.id, deletedAt: Samples.monday, marks: [])], of: PlanID("1"), at: Samples.monday)
        try library.markFiles.store([], forgetting: [path])
        for month in 4...8 { _ = try library.pruneWatched(now: Samples.monday + .seconds(month * 31 * 86_400)) }
        #expect(try !library.charts.hasBytes(of: Samples.hash(one)))
        #expect(try library.database.row("SELECT count(*) FROM page_comparisons") { $0.integer(0) } == 0)
    }
}
