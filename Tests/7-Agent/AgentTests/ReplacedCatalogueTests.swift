import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

/// A running agent whose catalogue becomes something else: it notices, opens what is there, and finds out anew what that does not know.
@Suite(.onLoop)
struct ReplacedCatalogueTests {
    private typealias Dot = MarkText.Dot

    /// An agent that keeps one chart ready, with a mark; and the catalogue as it was before the second mark came.
    @LoopActor
    private func stage(withBackup: Bool = false) async throws -> (MarkStage, older: [UInt8]) {
        let stage = try await MarkStage(["a"])
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5)]), as: "a.marks.json")
        await stage.quiet()
        await stage.end()
        let older = try AtomicFile.read(stage.folder.path("data/catalogue.sqlite"), limit: 1 << 24)
        try await stage.beginAgain()
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]), as: "a.marks.json")
        await stage.quiet()
        // From here on the file has it, and not only the log.
        await stage.end()
        try await stage.beginAgain()
        await stage.quiet()
        if withBackup { await stage.stage.agent.backUpCatalogue() }
        return (stage, older)
    }

    @LoopActor private func check(_ stage: MarkStage, _ comment: Comment) async throws {
        let library = stage.stage.library
        #expect(library.isInPlace, comment)
        let reader = try Library(readingFrom: library.folder)
        #expect(try reader.markFiles.file(at: stage.music.path("a.marks.json"))?.content?.marks.count == 2, comment)
        reader.close()
        #expect(try Folder.names(in: library.folder + "/charts").count == 1, comment)
        // The service, asked again, tells of everything.
        await stage.sync()
        #expect(try library.plans.all().count == 1, comment)
        #expect(try library.doubt == nil, comment)
        #expect(stage.stage.agent.complaints == [], comment)
    }

    @Test(arguments: CatalogueFate.allCases, [true, false]) @LoopActor
    func noMarkAndNoChartIsMissingAfterwards(fate: CatalogueFate, hasBackup: Bool) async throws {
        let (stage, _) = try await stage(withBackup: hasBackup)
        try fate.befall(stage.stage.library.cataloguePath)
        let path = stage.stage.library.cataloguePath
        stage.stage.events.send(fate == .removed ? .removed(path) : .written(path))
        await stage.quiet()
        #expect(stage.stage.logged.contains { $0.contains("the catalogue was") }, "\(stage.stage.logged)")
        try await check(stage, "\(fate)")
    }

    @Test(arguments: [true, false]) @LoopActor func anOlderCopyIsTakenAndTheNewestMarkIsFoundAgain(isWrittenOver: Bool) async throws {
        let (stage, older) = try await stage()
        let path = stage.stage.library.cataloguePath
        if isWrittenOver {
            try CatalogueFate.write(older, over: path)
        } else {
            try older.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        }
        stage.stage.events.send(.written(path))
        await stage.quiet()
        #expect(stage.stage.logged.contains { $0.contains("another catalogue") })
        #expect(try stage.stage.library.doubt != nil, "until it was asked, nobody knows what the service has")
        try await check(stage, "an older copy")
    }

    @Test(arguments: ["-wal", "-shm"]) @LoopActor func aFileTakenFromBesideItIsMissedAtOnce(part: String) async throws {
        let (stage, _) = try await stage()
        let path = stage.stage.library.cataloguePath + part
        rename(path, stage.folder.path("away"))
        stage.stage.events.send(.removed(path))
        await stage.quiet()
        try await check(stage, "\(part)")
    }

    @Test @LoopActor func whatNoEventToldIsNoticedByTheNextPoll() async throws {
        let (stage, _) = try await stage()
        unlink(stage.stage.library.cataloguePath)
        await stage.sync()
        try await check(stage, "no event")
    }

    @Test @LoopActor func whereAnotherWorksOnTheLibraryNothingMoreIsWritten() async throws {
        let (stage, _) = try await stage()
        var end: LibraryError?
        stage.stage.agent.askForLock { false }
        stage.stage.agent.onTakenAway { end = $0 }
        unlink(stage.stage.library.cataloguePath)
        stage.stage.events.send(.removed(stage.stage.library.cataloguePath))
        await stage.stage.wait(for: .seconds(1))
        #expect(end == .takenAway(folder: stage.stage.library.folder))
        #expect(access(stage.stage.library.cataloguePath, F_OK) != 0)
        await stage.end()
    }
}
