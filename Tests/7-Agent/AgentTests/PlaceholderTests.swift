import Agent
import Glibc
import Library
import Marks
import Model
import Platform
import Readiness
import TestSupport
import Testing

/// Something else is where a mark file was: the placeholder of a cloud folder, a backup's name, an empty file.
@Suite(.onLoop)
struct PlaceholderTests {
    private let a = AttachmentID("a")

    /// A chart with one marked file among others, so that its folder is not empty without it.
    @LoopActor private func marked() async throws -> MarkStage {
        let stage = try await MarkStage(["a", "b"])
        try stage.music.save(MarkText.native("a", [MarkText.Dot(page: 0, x: 0.25)]), as: "It.marks.json")
        try stage.music.save(MarkText.native("b", [MarkText.Dot(page: 0, x: 0.25)]), as: "other.marks.json")
        await stage.quiet()
        return stage
    }

    @LoopActor private func drawn(_ stage: MarkStage) throws -> Int {
        try stage.stage.library.drawings.visibleLayers(of: a).flatMap(\.marks).count
    }

    @Test(arguments: [".nextcloud", ".owncloud", ".bak", "_old"], [true, false])
    @LoopActor func theMarksOfAFileWithAPlaceholderStayAndThatIsTold(ending: String, isHeard: Bool) async throws {
        let stage = try await marked()
        let path = stage.music.path("It.marks.json")
        if !isHeard { await stage.end() }
        #expect(rename(path, path + ending) == 0)
        if isHeard {
            stage.stage.events.send(.removed(path))
            await stage.quiet()
        } else {
            // A command without an agent finds the same.
            #expect(try await stage.report().markFolders.map(\.subject) == [path])
            try await stage.beginAgain()
        }
        #expect(try drawn(stage) == 1)
        let report = try await stage.stage.agent.readiness()
        #expect(report.isReady)
        #expect(report.markFolders.map(\.subject) == [path])
        #expect(report.markFolders.first?.message.contains("while \(path + ending) is there; its marks are kept") == true)
        #expect(stage.stage.logged.count { $0.contains("\(path) is missing, while \(path + ending) is there") } == 1)
        // Looking again changes nothing.
        stage.stage.events.send(.rescan(stage.music.path))
        await stage.quiet()
        #expect(try drawn(stage) == 1)
        #expect(stage.stage.agent.markFolders.placeholders == [path: path + ending])

        #expect(rename(path + ending, path) == 0)
        stage.stage.events.send(.written(path))
        await stage.quiet()
        #expect(try drawn(stage) == 1)
        #expect(stage.stage.agent.markFolders.placeholders == [:])
        // Without a placeholder, whoever deletes it has meant it.
        unlink(path)
        stage.stage.events.send(.removed(path))
        await stage.quiet()
        #expect(try drawn(stage) == 0)
        await stage.end()
    }

    @Test @LoopActor func theUserSaysThatItIsGoneForGood() async throws {
        let stage = try await marked()
        let path = stage.music.path("It.marks.json")
        #expect(rename(path, path + ".bak") == 0)
        stage.stage.events.send(.removed(path))
        await stage.quiet()
        #expect(
            try MarkFileStore.letGo(ofFilesBelow: stage.music.path, inLibraryAt: stage.stage.library.folder, at: Samples.monday).count == 1)
        stage.stage.agent.noteChange()
        await stage.quiet()
        #expect(try drawn(stage) == 0)
        #expect(stage.stage.agent.markFolders.placeholders == [:])
        await stage.end()
    }

    @Test @LoopActor func theMarksOfAFileThatBecameEmptyStayAndItIsNotReady() async throws {
        let stage = try await marked()
        try stage.music.overwrite([], as: "It.marks.json")
        await stage.quiet()
        #expect(try drawn(stage) == 1)
        let lacks = try await stage.stage.agent.readiness().plans.flatMap(\.charts).flatMap(\.lacks)
        #expect(lacks.map(\.sentence) == ["your marks: \(stage.music.path("It.marks.json")) is empty; its last good marks are shown"])
        await stage.end()
    }
}
