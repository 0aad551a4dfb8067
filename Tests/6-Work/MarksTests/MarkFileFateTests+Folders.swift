import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// The fate of marks whose folders are gone, moved or back.
extension MarkFileFateTests {
    @Test @LoopActor func restartReadsOnlyWhatIsDifferent() async throws {
        let stage = try await marked()
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.1)]), as: "other.marks.json")
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.2)]), as: "third.marks.json")
        await stage.quiet()
        // The library's record differs from the file in its content alone, so only reading
        // the file again would correct the record.
        var other = try #require(try stage.known("other.marks.json"))
        other.content?.marks[0].points[0].x = 0.3
        try stage.library.markFiles.store([], forgetting: [other.path])
        try stage.library.markFiles.store([other])
        await stage.end()
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.4)]), as: "third.marks.json")
        try stage.music.delete("a.marks.json")
        try await stage.beginAgain()
        let library = stage.library
        #expect(try library.markFiles.all().map { $0.content?.marks.map { $0.points[0].x } } == [[0.3], [0.4]])
    }

    @Test @LoopActor func movedFolderTakesItsFilesAlong() async throws {
        let stage = try await MarkDesk(["a"])
        try stage.music.makeFolder("old")
        try stage.music.save(MarkText.native("a", Self.dots), as: "old/a.marks.json")
        await stage.quiet()
        #expect(try stage.drawn()["a"]?.count == 2)
        try stage.music.moveFolder("old", to: "new")
        await stage.quiet()
        #expect(try stage.library.markFiles.all().map(\.path) == [stage.music.path("new/a.marks.json")])
        // A file that now has the folder's former name changes nothing.
        try stage.music.save("a note", as: "old")
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.library.markFiles.all().count == 1)
    }

    /// The folder's files cause no events of their own.
    @Test @LoopActor func whatGoesWithItsFolderIsForgotten() async throws {
        let stage = try await MarkDesk(["a"])
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.makeFolder("set")
        try stage.music.save(MarkText.native("a", Self.dots), as: "set/a.marks.json")
        await stage.quiet()
        #expect(rename(stage.music.path("set"), stage.folder.path("set")) == 0)
        stage.home.events.send(.folderRemoved(stage.music.path("set")))
        await stage.quiet()
        #expect(try stage.library.markFiles.all().map(\.path) == [stage.music.path("other.marks.json")])
    }

    @Test @LoopActor func folderThatBecameAFileHasNoMarks() async throws {
        let stage = try await MarkDesk(["a"])
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.makeFolder("set")
        try stage.music.save(MarkText.native("a", Self.dots), as: "set/a.marks.json")
        await stage.quiet()
        try stage.music.delete("set/a.marks.json")
        #expect(rmdir(stage.music.path("set")) == 0)
        try AtomicFile.write("a note", to: stage.music.path("set"))
        await stage.quiet()
        #expect(try stage.library.markFiles.all().map(\.path) == [stage.music.path("other.marks.json")])
    }
}
