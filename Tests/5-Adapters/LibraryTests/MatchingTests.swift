import Catalogue
import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Which chart a file of marks belongs to, in a real library with links on a real disk.
@Suite(.onLoop)
struct MatchingTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private var root: String { home.path("music") }
    private var folder: String { "\(root)/\(Samples.monday.date) Plan 1" }

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [a, b])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        _ = try library.linkCharts(into: root)
        return library
    }

    @LoopActor private func match(_ path: String, naming pdf: String, in library: Library) async throws -> MarkFileMatch? {
        try await library.matches.index().match(
            path, MarkFile.Reference(pdf: pdf), follow: { MatchStore.followingLinks($0) }, hash: { _ in nil })
    }

    @Test @LoopActor func aSongThatMovesInThePlanKeepsItsMarks() async throws {
        let library = try library()
        var moved = Samples.contents("1", attachments: [b, a])
        moved.items[0].title = "Song 1"
        moved.items[1].title = "Song 0"
        try library.plans.update([moved], at: Samples.monday)
        #expect(try library.linkCharts(into: root).hasChanges)
        for name in ["01 Song 0", "02 Song 0"] {
            #expect(try await match("/x.xopp", naming: "\(folder)/\(name).pdf", in: library) == MarkFileMatch(a.id))
        }
    }

    /// The index is kept between saves. After any change of charts and links, it must equal a fresh index, and also the index of another
    /// process that had read the library before the change.
    @Test @LoopActor func theIndexIsKeptOnlyAsLongAsItHolds() async throws {
        let library = try library()
        let reader = try Library(readingFrom: home.path("data"))
        defer { reader.close() }
        var seen: [MarkFileIndex] = []
        func check(_ isNew: Bool = true, line: Int = #line) throws {
            let index = try library.matches.index()
            #expect(try index == reader.matches.index(), "line \(line)")
            #expect(seen.contains(index) == !isNew, "line \(line)")
            #expect(isNew || library.matches.kept?.chartChanges == library.catalogue.chartChanges)
            seen.append(index)
        }
        try check()
        try library.markFiles.store([Samples.localFile(folder + "/x.xopp", for: a.id, marks: ["x"])])
        try check(false)
        let c = Samples.attachment("c")
        try library.plans.update([Samples.contents("1", attachments: [b, a, c])], at: Samples.monday)
        try check()
        try library.download(Samples.pdf("c"), for: c)
        try check()
        _ = try library.linkCharts(into: root)
        try check()
        try library.download(Samples.pdf("c again"), for: c)
        try check()
        unlink("\(folder)/03 Song 2.pdf")
        try library.plans.update([Samples.contents("1", attachments: [b, a])], at: Samples.monday)
        _ = try library.linkCharts(into: root)
        try check()
        for day in [1, 40, 80] { _ = try library.pruneWatched(now: Samples.monday + .seconds(day * 86_400)) }
        try check()
    }

    /// Another plan already has the new chart, so the only change is that the former chart stands in for the new one.
    @Test @LoopActor func theIndexKnowsAChartThatStandsInForAnother() throws {
        let library = try library()
        let d = Samples.attachment("d", filename: b.filename)
        try library.plans.update([Samples.contents("2", attachments: [d])], at: Samples.monday)
        let before = try library.matches.index()
        try library.plans.update([Samples.contents("1", attachments: [a, d])], at: Samples.monday)
        try #require(try library.charts.chart(of: d.id) != nil)
        let reader = try Library(readingFrom: home.path("data"))
        defer { reader.close() }
        #expect(try library.matches.index() == reader.matches.index())
        #expect(try library.matches.index() != before)
    }

    @Test(arguments: [true, false]) @LoopActor func noOtherChartTakesTheNameThatMarksWereMadeUnder(isRelative: Bool) async throws {
        let library = try library()
        let file = isRelative ? "\(folder)/notes.xopp" : "/elsewhere/notes.xopp"
        let pdf = isRelative ? "01 Song 0.pdf" : "\(folder)/01 Song 0.pdf"
        var read = Samples.localFile(file, for: try await match(file, naming: pdf, in: library)?.attachment, marks: ["x"])
        read.content?.reference.pdf = pdf
        try library.markFiles.store([read])

        // Another chart with the same title takes the place of the first.
        try library.plans.update([Samples.contents("1", attachments: [b, a])], at: Samples.monday)
        #expect(try library.linkCharts(into: root).made.contains("\(folder)/01 Song 0 (2).pdf"))
        #expect(try await match(file, naming: pdf, in: library) == MarkFileMatch(a.id))
        #expect(try !library.linkCharts(into: root).hasChanges)
    }

    @Test @LoopActor func aFolderThatTheUserMovedLeadsToTheChartsAsTheyWere() async throws {
        let library = try library()
        let hash = Samples.hash(Samples.pdf("a"))
        rename(folder, root + "/my set")
        let found = MarkFileMatch(a.id, markedOn: hash)
        #expect(try await match("\(root)/my set/notes.xopp", naming: "01 Song 0.pdf", in: library) == found)
        #expect(try await match("\(root)/my set/01 Song 0.xopp", naming: "/nowhere.pdf", in: library) == found)
        try library.download(Samples.pdf("new"), for: a)
        #expect(try await match("\(root)/my set/notes.xopp", naming: "01 Song 0.pdf", in: library) == found)
    }

    @Test @LoopActor func aDataFolderBehindALinkIsTheSameFolder() async throws {
        try library().close()
        symlink(home.path("data"), home.path("shortcut"))
        let library = try Library(folder: home.path("shortcut"))
        symlink("\(folder)/02 Song 1.pdf", home.path("b.pdf"))
        #expect(try await match(home.path("x.xopp"), naming: "b.pdf", in: library)?.attachment == b.id)
    }
}
