import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// How files of marks are read: no change is missed, each fault is reported once, and a moved file keeps its chart.
@Suite(.onLoop)
struct MarkReadingTests {
    private typealias Dot = MarkText.Dot
    private static let dots = [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]

    // MARK: Files that change without a trace

    /// Ways to put other bytes at a path, with the former length and time.
    enum Forgery: CaseIterable {
        case written, replaced, replacedByALink
    }

    @Test(arguments: Forgery.allCases, [true, false])
    @LoopActor func aFileOfTheSameSizeAndTimeIsReadAnewAllTheSame(_ way: Forgery, isRunning: Bool) async throws {
        let stage = try await MarkDesk(["a"])
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
            stage.home.events.send(.rescan(stage.music.path))
            await stage.quiet()
        } else {
            try await stage.beginAgain()
        }
        #expect(try stage.known("a.marks.json")?.content?.marks.first?.points.first?.x == 0.75)
        #expect(try stage.known("a.marks.json")?.stamp == FileStamp(ofFile: path))
    }

    // MARK: One message

    @Test(arguments: ["a.marks.json", "a.xopp"]) @LoopActor func aFileThatGrowsIsReportedOnce(name: String) async throws {
        let stage = try await MarkDesk(["a"])
        let text =
            name.hasSuffix(".json")
            ? MarkText.native("a", Self.dots) : MarkText.journal(stage.music.path(try stage.link("a")), Self.dots)
        let bytes = Array(text.utf8)
        func grow() async throws {
            try stage.music.overwrite([], as: name)
            for start in stride(from: 0, to: bytes.count, by: 20) {
                await stage.wait(for: .seconds(3))
                try stage.music.append(bytes[start..<min(start + 20, bytes.count)], to: name)
            }
            await stage.quiet()
        }
        func warnings() -> Int { stage.logged.count { $0.contains(name) && !$0.contains("gone") } }
        try await grow()
        #expect(warnings() == 1, "\(stage.logged)")
        #expect(try stage.known(name)?.fault == nil)
        // A new fault, after the file was readable, is reported again.
        try await grow()
        #expect(warnings() == 2, "\(stage.logged)")
    }

    /// The file's event and a scan of its folder find the file at the same moment.
    @Test @LoopActor func aFileThatIsFoundByAnEventAndAScanIsReportedOnce() async throws {
        let stage = try await MarkDesk(["a"])
        let keeper = stage.home.keeper
        stage.music.events = nil
        try stage.music.save("no marks", as: "a.xopp")
        // The file comes to rest just before a scan begins.
        keeper.read([stage.music.path("a.xopp")])
        keeper.requestLook()
        await stage.quiet()
        #expect(stage.logged.count { $0.contains("a.xopp") } == 1, "\(stage.logged)")
    }

    /// All files are found together, and the file for the next plan comes last in the order of names.
    @Test @LoopActor func filesForTheNextPlanAreReadFirst() async throws {
        let charts = (0..<40).map { "far\($0)" } + ["near"]
        let stage = try await MarkDesk(charts)
        let next = Samples.contents("2", day: 14, attachments: [Samples.attachment("near", size: 0, filename: "Song near.pdf")])
        try stage.library.plans.update([next], at: stage.home.clock.timestamp)
        stage.music.events = nil
        for chart in charts {
            let link = try stage.link(chart)
            try stage.music.save(MarkText.journal(stage.music.path(link), Self.dots), as: link.replacing(".pdf", with: ".xopp"))
        }
        stage.home.events.send(.rescan(stage.music.path))
        await stage.quiet()
        let order = try stage.library.database.rows("SELECT path FROM local_files ORDER BY rowid") { $0.text(0) }
        #expect(order.count == 41 && order.prefix(32).contains { $0.contains("near") })
    }

    // MARK: Other places

    @Test(arguments: [true, false], ["sub/a.xopp", "b.xopp"])
    @LoopActor func aRenameIsReportedAsARename(hasEvent: Bool, to name: String) async throws {
        let stage = try await MarkDesk(["a"])
        try stage.music.makeFolder("sub")
        try stage.music.save(MarkText.journal(stage.music.path(try stage.link("a")), Self.dots), as: "a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        await stage.quiet()
        let before = try stage.drawn()
        if !hasEvent { await stage.end() }
        try stage.music.rename("a.xopp", to: name)
        if hasEvent { await stage.quiet() } else { try await stage.beginAgain() }
        #expect(stage.logged.contains { $0.contains("a.xopp is now called \(stage.music.path(name))") }, "\(stage.logged)")
        #expect(!stage.logged.contains { $0.contains("is gone") })
        #expect(try stage.drawn() == before)
    }

    /// How a file is moved from one folder into another.
    enum Move: CaseIterable {
        case withEvent, withoutEvent, copiedThenDeleted, deletedThenCopied
    }

    @Test(arguments: Move.allCases) @LoopActor func aFileThatNamesItsPDFByItsPlaceKeepsItsChartWhereverItIsMoved(_ move: Move) async throws
    {
        let stage = try await MarkDesk(["a", "b"])
        let link = try stage.link("a")
        let folder = String(link.prefix { $0 != "/" })
        // The file is next to the link but has another name; it gives the PDF's path relative to its own folder.
        let old = folder + "/mine.xopp"
        let text = MarkText.journal(String(link.dropFirst(folder.count + 1)), Self.dots)
        try stage.music.save(text, as: old)
        try stage.music.makeFolder("elsewhere")
        try stage.music.save(MarkText.native("b", Self.dots), as: "other.marks.json")
        await stage.quiet()
        #expect(try stage.known(old)?.attachment == AttachmentID("a"))
        let new = "elsewhere/mine.xopp"
        switch move {
        case .withEvent: try stage.music.rename(old, to: new)
        case .withoutEvent:
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
        #expect(try stage.known(old) == nil)
        #expect(try stage.known(new)?.attachment == AttachmentID("a"))
        // Saving the file again in the new folder changes nothing.
        try stage.music.save(MarkText.journal(String(link.dropFirst(folder.count + 1)), [Dot(page: 1, x: 0.7)]), as: new)
        await stage.quiet()
        #expect(try stage.known(new)?.attachment == AttachmentID("a"))
        // Another file there that gives the same path has no chart.
        try stage.music.save(MarkText.journal(String(link.dropFirst(folder.count + 1)), [Dot(page: 0, x: 0.9)]), as: "elsewhere/x.xopp")
        await stage.quiet()
        #expect(try stage.known("elsewhere/x.xopp")?.attachment == nil)
    }
}
