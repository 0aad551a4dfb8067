import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

/// If the catalogue of a running agent is replaced, the agent detects this and leaves its library. The next agent opens the new
/// catalogue and reads again what that catalogue lacks.
@Suite(.onLoop)
struct ReplacedCatalogueTests {
    private typealias Dot = MarkText.Dot

    /// An agent that keeps one chart ready, with two marks; and the catalogue from before the second mark.
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
        // From here on the second mark is in the catalogue's own file, and not only in SQLite's write-ahead log.
        await stage.end()
        try await stage.beginAgain()
        await stage.quiet()
        if withBackup { await stage.stage.agent.backUpCatalogue() }
        return (stage, older)
    }

    /// Runs `body`, after which the agent must leave its library, and starts the next agent, as the program does.
    @LoopActor private func beginAnew(_ stage: MarkStage, after body: () async throws -> Void) async throws {
        let (agent, library) = (stage.stage.agent, stage.stage.library)
        agent.onAstray { () throws(LibraryError) in _ = try library.leave(at: Samples.monday) }
        try await body()
        await stage.quiet()
        #expect(library.isLeft)
        await stage.end()
        try await stage.beginAgain { $0.agent.noteOpening() }
        await stage.quiet()
    }

    @LoopActor private func check(_ stage: MarkStage, _ comment: Comment) async throws {
        let library = stage.stage.library
        #expect(library.isInPlace, comment)
        let reader = try Library(readingFrom: library.folder)
        #expect(try reader.markFiles.file(at: stage.music.path("a.marks.json"))?.content?.marks.count == 2, comment)
        reader.close()
        #expect(try Folder.names(in: library.folder + "/charts").count == 1, comment)
        // The next poll brings everything.
        await stage.sync()
        #expect(try library.plans.all().count == 1, comment)
        #expect(try library.doubt == nil, comment)
        #expect(stage.stage.agent.complaints == [], comment)
    }

    @Test(arguments: CatalogueFate.allCases, [true, false]) @LoopActor
    func noMarkAndNoChartIsMissingAfterwards(fate: CatalogueFate, hasBackup: Bool) async throws {
        let (stage, _) = try await stage(withBackup: hasBackup)
        let path = stage.stage.library.cataloguePath
        try await beginAnew(stage) {
            try fate.befall(path)
            stage.stage.events.send(fate == .removed ? .removed(path) : .written(path))
        }
        #expect(stage.stage.logged.contains { $0.hasPrefix("the catalogue ") }, "\(stage.stage.logged)")
        try await check(stage, "\(fate)")
    }

    @Test(arguments: [true, false]) @LoopActor func anOlderCopyIsTakenAndTheNewestMarkIsFoundAgain(isWrittenOver: Bool) async throws {
        let (stage, older) = try await stage()
        let path = stage.stage.library.cataloguePath
        try await beginAnew(stage) {
            if isWrittenOver {
                try CatalogueFate.write(older, over: path)
            } else {
                try older.withUnsafeBytes { try AtomicFile.write($0, to: path) }
            }
            stage.stage.events.send(.written(path))
        }
        #expect(stage.stage.logged.contains { $0.contains("another catalogue") })
        #expect(try stage.stage.library.doubt != nil, "until it was asked, nobody knows what the service has")
        try await check(stage, "an older copy")
    }

    @Test(arguments: ["-wal", "-shm"]) @LoopActor func aFileTakenFromBesideItIsMissedAtOnce(part: String) async throws {
        let (stage, _) = try await stage()
        let path = stage.stage.library.cataloguePath + part
        try await beginAnew(stage) {
            rename(path, stage.folder.path("away"))
            stage.stage.events.send(.removed(path))
        }
        try await check(stage, "\(part)")
    }

    @Test @LoopActor func whatNoEventToldIsNoticedByTheNextPoll() async throws {
        let (stage, _) = try await stage()
        try await beginAnew(stage) {
            unlink(stage.stage.library.cataloguePath)
            await stage.sync()
        }
        try await check(stage, "no event")
    }

    @Test @LoopActor func whatCannotBeLeftYetIsLeftAtALaterLook() async throws {
        let (stage, _) = try await stage()
        var tries = 0
        let library = stage.stage.library
        stage.stage.agent.onAstray { () throws(LibraryError) in
            tries += 1
            if tries < 3 { throw .busy(path: library.cataloguePath) }
            _ = try library.leave(at: Samples.monday)
        }
        unlink(library.cataloguePath)
        for _ in 0..<4 { await stage.stage.settle() }
        #expect(tries == 3)
        #expect(access(library.cataloguePath, F_OK) != 0, "it is for the next agent")
        await stage.end()
    }
}
