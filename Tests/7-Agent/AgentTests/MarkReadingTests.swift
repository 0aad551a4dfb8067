import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Library
@testable import Marks

/// How files of marks are read: all that were stored are drawn, what is nearest comes first, and none is taken for what it was.
@Suite(.onLoop)
struct MarkReadingTests {
    private typealias Dot = MarkText.Dot
    private static let dots = [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]

    @LoopActor
    private func known(_ name: String, _ stage: MarkStage) throws -> LocalFile? {
        try stage.stage.library.markFiles.file(at: stage.music.path(name))
    }

    /// Has the library refuse to store files whose path ends so, as a full disk would.
    @LoopActor
    private func refuse(_ ending: String, in stage: MarkStage) throws {
        for event in ["INSERT", "UPDATE"] {
            try stage.stage.library.database.run(
                """
                CREATE TEMP TRIGGER refuse_\(event) BEFORE \(event) ON local_files WHEN NEW.path LIKE '%\(ending)'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
    }

    @LoopActor
    private func refuseNoMore(in stage: MarkStage) throws {
        for event in ["INSERT", "UPDATE"] { try stage.stage.library.database.run("DROP TRIGGER temp.refuse_\(event)") }
    }

    /// No event tells of a disk that is mounted below a folder of marks.
    @Test @LoopActor func whatNoEventToldOfIsReadWhenAPersonAsks() async throws {
        let stage = try await MarkStage(["a"])
        let events = stage.music.events
        stage.music.events = nil
        try stage.music.save(MarkText.native("a", Self.dots), as: "late.marks.json")
        stage.music.events = events
        await stage.sync()
        #expect(try known("late.marks.json", stage)?.attachment == AttachmentID("a"))
    }

    @Test @LoopActor func whatCannotBeStoredIsTriedEverLessOftenAndSoonAgainOnceItCould() async throws {
        let stage = try await MarkStage(["a"])
        func isKnown(_ name: String, after seconds: Int) async throws -> Bool {
            await stage.stage.wait(for: .seconds(seconds))
            await stage.quiet()
            return try known(name, stage) != nil
        }
        func refuse(_ name: String) async throws {
            try self.refuse(name, in: stage)
            try stage.music.save(MarkText.native("a", Self.dots), as: name)
            #expect(try await !isKnown(name, after: 2))
        }
        try await refuse("first.marks.json")
        #expect(try await !isKnown("first.marks.json", after: 16))
        try refuseNoMore(in: stage)
        #expect(try await !isKnown("first.marks.json", after: 16), "the second pause is longer")
        #expect(try await isKnown("first.marks.json", after: 15))
        try await refuse("second.marks.json")
        try refuseNoMore(in: stage)
        #expect(try await isKnown("second.marks.json", after: 16))
    }

    // MARK: What is stored is drawn

    @Test(arguments: [true, false]) @LoopActor func whatWasStoredIsDrawnThoughTheNextFilesCannotBe(isHeard: Bool) async throws {
        let stage = try await MarkStage(["a"], pages: 40)
        try refuse("last.marks.json", in: stage)
        let events = stage.music.events
        if !isHeard { stage.music.events = nil }
        for number in 0..<40 {
            let name = number == 39 ? "z last" : "\(10 + number)"
            try stage.music.save(MarkText.native("a", [Dot(page: number, x: 0.5)]), as: "\(name).marks.json")
        }
        stage.music.events = events
        if !isHeard { stage.music.rescan() }
        await stage.quiet()
        #expect(stage.rendered().count >= 32, "those of the first batch")
        try refuseNoMore(in: stage)
        await stage.stage.wait(for: .seconds(30))
        await stage.quiet()
        #expect(try await stage.wanted().count { $0.variant == .annotated } == 40)
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func whatWasMatchedIsDrawnThoughTheNextFilesCannotBe() async throws {
        let stage = try await MarkStage(["a"])
        for name in ["1", "2 last"] { try stage.music.save(MarkText.native("b", Self.dots), as: "\(name).marks.json") }
        await stage.quiet()
        try refuse("last.marks.json", in: stage)
        stage.stage.service.plans[0].charts.append(Season.chart("b"))
        await stage.sync()
        #expect(try known("1.marks.json", stage)?.attachment == AttachmentID("b"))
        #expect(try known("2 last.marks.json", stage)?.attachment == nil)
        #expect(try await stage.stage.agent.planTable().isComplete, "the marks of the first are drawn")
    }

    @Test @LoopActor func whatIsLookedAtNoMoreIsDrawnNoMoreThoughOtherFilesCannotBeStored() async throws {
        let stage = try await MarkStage(["a"])
        let elsewhere = stage.folder.path("elsewhere/x.marks.json")
        try Folder.create(stage.folder.path("elsewhere"))
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        await stage.quiet()
        // As if that folder had been configured, too.
        var other = try #require(try known("a.marks.json", stage))
        other.path = elsewhere
        for mark in (other.content?.marks ?? []).indices { other.content?.marks[mark].points[0].x = 0.75 + Double(mark) / 16 }
        try stage.stage.library.markFiles.store([other])
        await stage.stage.settle()
        let before = try await stage.wanted()
        try refuse("last.marks.json", in: stage)
        stage.music.events = nil
        try stage.music.save("{", as: "last.marks.json")
        stage.stage.agent.markKeeper.look()
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.file(at: elsewhere) == nil)
        #expect(try await stage.wanted() != before)
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    // MARK: Many at once

    @Test @LoopActor func imagesAreMadeWhileManyNewFilesAreRead() async throws {
        let stage = try await MarkStage(["a"], pages: 40)
        await stage.end()
        TemporaryFolder.empty(stage.folder.path("cache"))
        for number in 0..<2000 {
            try stage.music.save(MarkText.native("a", [Dot(page: number % 40, x: Double(number) / 2000)]), as: "\(number).marks.json")
        }
        var knownAtFirstImage: Int?
        try await stage.beginAgain { stage in
            stage.renderer.onBegin = { _, _ in
                if knownAtFirstImage == nil { knownAtFirstImage = try? stage.library.markFiles.stamps().count }
            }
        }
        #expect((1..<1000).contains(try #require(knownAtFirstImage)), "not before anything is read, and not after everything is")
        #expect(try stage.stage.library.markFiles.stamps().count == 2000)
        #expect(stage.rendered().count < 40 * 10, "\(40) pages are drawn a few times, not for every file")
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func filesForTheNextPlanAreReadFirst() async throws {
        let charts = (0..<100).map { Season.chart("far\($0)") }
        let stage = try await MarkStage([
            SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Season.chart("near")]),
            SmallService.Plan(id: "2", startsAt: "2026-11-29T10:00:00Z", charts: charts),
        ])
        // By name, the nearest is the last.
        for link in try stage.links().filter({ !$0.contains("near") }) {
            try stage.music.save(MarkText.native("far0", [Dot(page: 0, x: 0.5)]), as: link.replacing(".pdf", with: ".marks.json"))
        }
        let near = try #require(try stage.links().first { $0.contains("near") })
        try stage.music.save(MarkText.native("near", Self.dots), as: near.replacing(".pdf", with: ".marks.json"))
        await stage.quiet()
        let order = try stage.stage.library.database.rows("SELECT path FROM local_files ORDER BY rowid") { $0.text(0) }
        #expect(order.prefix(32).contains { $0.contains("near") })
    }

    // MARK: Files that change without a trace

    /// Ways to put other bytes of the same length at a path with the time that it had.
    enum Forgery: CaseIterable {
        case written, replaced, replacedByALink
    }

    @Test(arguments: Forgery.allCases, [true, false])
    @LoopActor func aFileOfTheSameSizeAndTimeIsReadAnewAllTheSame(_ way: Forgery, isRunning: Bool) async throws {
        let stage = try await MarkStage(["a"])
        let path = stage.music.path("a.marks.json")
        let texts = [0.25, 0.75].map { MarkText.native("a", [Dot(page: 0, x: $0)]) }
        #expect(texts[0].utf8.count == texts[1].utf8.count)
        try stage.music.save(texts[0], as: "a.marks.json")
        await stage.quiet()
        let stamp = try #require(FileStamp(ofFile: path))
        stage.music.events = nil
        if !isRunning { await stage.end() }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        switch way {
        case .written: try stage.music.overwrite(Array(texts[1].utf8), as: "a.marks.json")
        case .replaced: try stage.music.save(texts[1], as: "a.marks.json")
        case .replacedByALink:
            try AtomicFile.write(texts[1], to: path + ".other")
            unlink(path)
            link(path + ".other", path)
        }
        var times = [status.st_atim, status.st_mtim]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let now = try #require(FileStamp(ofFile: path))
        #expect((now.size, now.modified) == (stamp.size, stamp.modified))
        #expect(now != stamp)
        if isRunning {
            stage.stage.events.send(.rescan(stage.music.path))
            await stage.quiet()
        } else {
            try await stage.beginAgain()
        }
        #expect(try known("a.marks.json", stage)?.content?.marks.first?.points.first?.x == 0.75)
        #expect(try known("a.marks.json", stage)?.stamp == FileStamp(ofFile: path))
    }

    // MARK: One word

    @Test(arguments: ["a.marks.json", "a.xopp"]) @LoopActor func aFileThatGrowsIsToldOfOnce(name: String) async throws {
        let stage = try await MarkStage(["a"])
        let text =
            name.hasSuffix(".json")
            ? MarkText.native("a", Self.dots) : MarkText.journal(stage.music.path(try stage.link("a")), Self.dots)
        let bytes = Array(text.utf8)
        func grow() async throws {
            try stage.music.overwrite([], as: name)
            for start in stride(from: 0, to: bytes.count, by: 20) {
                await stage.stage.wait(for: .seconds(3))
                try stage.music.append(bytes[start..<min(start + 20, bytes.count)], to: name)
            }
            await stage.quiet()
        }
        func warnings() -> Int { stage.stage.logged.count { $0.contains(name) && !$0.contains("gone") } }
        try await grow()
        #expect(warnings() == 1, "\(stage.stage.logged)")
        #expect(try known(name, stage)?.fault == nil)
        // The next time it is news again.
        try await grow()
        #expect(warnings() == 2, "\(stage.stage.logged)")
    }

    /// Both the event of a file and a look at its folder find it, at the same moment.
    @Test @LoopActor func aFileThatIsHeardOfAndFoundIsToldOfOnce() async throws {
        let stage = try await MarkStage(["a"])
        let keeper = stage.stage.agent.markKeeper
        stage.music.events = nil
        try stage.music.save("no marks", as: "a.xopp")
        // As when it comes to rest just before a look begins.
        keeper.read([stage.music.path("a.xopp")])
        keeper.look()
        await stage.quiet()
        #expect(stage.stage.logged.count { $0.contains("a.xopp") } == 1, "\(stage.stage.logged)")
    }

    // MARK: Other places

    @Test(arguments: [true, false], ["sub/a.xopp", "b.xopp"])
    @LoopActor func aRenameIsToldAsOne(isHeard: Bool, to name: String) async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.makeFolder("sub")
        try stage.music.save(MarkText.journal(stage.music.path(try stage.link("a")), Self.dots), as: "a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        await stage.quiet()
        let before = try await stage.wanted()
        _ = stage.rendered()
        if !isHeard { await stage.end() }
        try stage.music.rename("a.xopp", to: name)
        if isHeard { await stage.quiet() } else { try await stage.beginAgain() }
        #expect(stage.stage.logged.contains { $0.contains("a.xopp is now called \(stage.music.path(name))") }, "\(stage.stage.logged)")
        #expect(!stage.stage.logged.contains { $0.contains("is gone") })
        #expect(try await stage.wanted() == before)
        #expect(stage.rendered() == [])
    }

    /// How a file comes from one folder into another.
    enum Move: CaseIterable {
        case heard, unheard, copiedThenDeleted, deletedThenCopied
    }

    @Test(arguments: Move.allCases) @LoopActor func aFileThatNamesItsPDFByItsPlaceKeepsItsChartWhereverItIsMoved(_ move: Move) async throws
    {
        let stage = try await MarkStage(["a", "b"])
        let link = try stage.link("a")
        let folder = String(link.prefix { $0 != "/" })
        // Beside the link and not of its name; the PDF is named as seen from there.
        let old = folder + "/mine.xopp"
        let text = MarkText.journal(String(link.dropFirst(folder.count + 1)), Self.dots)
        try stage.music.save(text, as: old)
        try stage.music.makeFolder("elsewhere")
        try stage.music.save(MarkText.native("b", Self.dots), as: "other.marks.json")
        await stage.quiet()
        #expect(try known(old, stage)?.attachment == AttachmentID("a"))
        let new = "elsewhere/mine.xopp"
        switch move {
        case .heard: try stage.music.rename(old, to: new)
        case .unheard:
            await stage.end()
            try stage.music.rename(old, to: new)
            try await stage.beginAgain()
        case .copiedThenDeleted:
            try stage.music.save(text, as: new)
            await stage.quiet()
            try stage.music.delete(old)
        case .deletedThenCopied:
            try stage.music.delete(old)
            await stage.quiet()
            try stage.music.save(text, as: new)
        }
        await stage.quiet()
        #expect(try known(old, stage) == nil)
        #expect(try known(new, stage)?.attachment == AttachmentID("a"))
        // Also when it is saved there again.
        try stage.music.save(MarkText.journal(String(link.dropFirst(folder.count + 1)), [Dot(page: 1, x: 0.7)]), as: new)
        await stage.quiet()
        #expect(try known(new, stage)?.attachment == AttachmentID("a"))
        #expect(try await stage.stage.agent.planTable().isComplete)
        // Another file that happens to name a PDF of that name is nobody's.
        try stage.music.save(MarkText.journal(String(link.dropFirst(folder.count + 1)), [Dot(page: 0, x: 0.9)]), as: "elsewhere/x.xopp")
        await stage.quiet()
        #expect(try known("elsewhere/x.xopp", stage)?.attachment == nil)
    }
}
