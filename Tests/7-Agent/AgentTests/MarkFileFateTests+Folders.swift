import Agent
import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// The same when their folders are gone, moved, or back.
extension MarkFileFateTests {
    @Test(arguments: ["empty", "missing"]) @LoopActor func rootThatIsSuddenlyEmptyDeletesNothing(way: String) async throws {
        let stage = try await marked()
        let before = try stage.stage.library.markFiles.all()
        let original = try await stage.wanted()
        // A disk that is taken away: nothing of it is told but that the folder is another.
        #expect(rename(stage.music.path, stage.folder.path("away")) == 0)
        if way == "empty" { try Folder.create(stage.music.path) }
        stage.stage.events.send(.folderRemoved(stage.music.path))
        await stage.quiet()
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all() == before)
        #expect(try await stage.wanted() == original)
        #expect(stage.stage.logged.contains { $0.contains("until they are back") })
        await stage.end()
        try await stage.beginAgain()
        #expect(try stage.stage.library.markFiles.all() == before)

        if way == "empty" { rmdir(stage.music.path) }
        #expect(rename(stage.folder.path("away"), stage.music.path) == 0)
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all() == before)
        #expect(stage.rendered() == [])
    }

    @Test @LoopActor func restartReadsOnlyWhatIsDifferent() async throws {
        let stage = try await marked()
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.1)]), as: "other.marks.json")
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.2)]), as: "third.marks.json")
        await stage.quiet()
        // Only whoever reads it sees that it says something else.
        var other = try #require(try known("other.marks.json", stage))
        other.content?.marks[0].points[0].x = 0.3
        try stage.stage.library.markFiles.store([], forgetting: [other.path])
        try stage.stage.library.markFiles.store([other])
        await stage.stage.settle()
        _ = stage.rendered()
        await stage.end()
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.4)]), as: "third.marks.json")
        try stage.music.delete("a.marks.json")
        try await stage.beginAgain()
        let library = stage.stage.library
        #expect(try library.markFiles.all().map { $0.content?.marks.map { $0.points[0].x } } == [[0.3], [0.4]])
        #expect(stage.rendered() == ["annotated"])
    }

    @Test @LoopActor func movedFolderTakesItsFilesAlong() async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.makeFolder("old")
        try stage.music.save(MarkText.native("a", Self.dots), as: "old/a.marks.json")
        await stage.quiet()
        #expect(stage.rendered().count == 2)
        try stage.music.moveFolder("old", to: "new")
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all().map(\.path) == [stage.music.path("new/a.marks.json")])
        #expect(stage.rendered() == [])
        // Its name as a file's is no obstacle.
        try stage.music.save("a note", as: "old")
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all().count == 1)
    }

    @Test @LoopActor func folderThatBecameAFileHasNoMarks() async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.makeFolder("set")
        try stage.music.save(MarkText.native("a", Self.dots), as: "set/a.marks.json")
        await stage.quiet()
        try stage.music.delete("set/a.marks.json")
        #expect(rmdir(stage.music.path("set")) == 0)
        try AtomicFile.write("a note", to: stage.music.path("set"))
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all().map(\.path) == [stage.music.path("other.marks.json")])
    }
}
