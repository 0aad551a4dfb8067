import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// A folder of marks that loses all its files together looks like a disk that is not mounted.
@Suite(.onLoop)
struct EmptyRootTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("music") }

    private func write() throws {
        try Folder.create(root)
        let text = #"{"version":1,"attachment_id":"1a","marks":[{"id":"m","page":0,"kind":"pen","points":[[0.1,0.2]]}]}"#
        for name in ["x", "y"] { try AtomicFile.write(text, to: root + "/\(name).marks.json") }
    }

    @Test @LoopActor func itIsReportedOnceAndNothingIsForgotten() async throws {
        try write()
        var home = try await start()
        func reports() -> Int {
            home.logged.count { $0.contains("all 2 mark files in ") && $0.contains("woodshed accept --gone \(root.shellQuoted)") }
        }
        #expect(try home.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
        for absence in 1...2 {
            rename(root, folder.path("away"))
            for event in [FileEvent.folderRemoved(root), .rescan(root), .rescan(root)] {
                home.events.send(event)
                await home.settle()
            }
            #expect(reports() == absence)
            #expect(try home.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
            rename(folder.path("away"), root)
            home.events.send(.rescan(root))
            await home.settle()
        }
        #expect(reports() == 2)
        // A keeper that starts while the files are away keeps their marks, too.
        rename(root, folder.path("away"))
        home.end()
        home = try await start()
        #expect(try reports() == 1 && home.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
        home.end()
    }

    @Test @LoopActor func ofOneFileIsSpokenAsOfOne() async throws {
        try write()
        unlink(root + "/y.marks.json")
        let home = try await start()
        rename(root, folder.path("away"))
        home.events.send(.folderRemoved(root))
        await home.settle()
        #expect(
            home.logged.contains { $0.contains("the mark file in \(root) is gone; its marks are kept until it is back, ") },
            "\(home.logged)")
        home.end()
    }

    @LoopActor private func start() async throws -> MarkHome {
        try await MarkHome(MarkRoots([root]), in: folder)
    }

    private func path(_ name: String) -> String { root + "/\(name).marks.json" }

    @LoopActor private func known(_ home: MarkHome) throws -> [String] {
        try home.library.markFiles.localLayers(of: AttachmentID("1a")).map(\.name)
    }

    /// Moves files away as a shell does, one right after the other, with an event for each.
    @LoopActor private func moveAway(_ names: [String], _ home: MarkHome, apart: Duration = .zero) async throws {
        try Folder.create(folder.path("away"))
        for name in names {
            #expect(rename(path(name), folder.path("away/\(name).marks.json")) == 0)
            home.events.send(.removed(path(name)))
            if apart > .zero { await home.wait(for: apart) }
        }
    }

    @LoopActor private func moveBack(_ names: [String], _ home: MarkHome) {
        for name in names {
            #expect(rename(folder.path("away/\(name).marks.json"), path(name)) == 0)
            home.events.send(.written(path(name)))
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(100)])
    @LoopActor func filesThatAllWentAtOnceAreForgottenByNobody(apart: Duration) async throws {
        try write()
        let home = try await start()
        let (before, drawn) = (try home.library.markFiles.all(), try home.drawn(on: "1a"))
        try await moveAway(["x", "y"], home, apart: apart)
        await home.settle()
        #expect(try home.library.markFiles.all() == before)
        #expect(home.keeper.folders.emptied == [root])
        #expect(home.keeper.folders.troubles.map(\.subject) == [root])
        #expect(home.logged.count { $0.contains("all 2 mark files in ") } == 1)
        #expect(!home.logged.contains { $0.contains("is gone") })
        // Another event and another scan change nothing, and the loss is not reported again.
        for event in [FileEvent.removed(path("x")), .rescan(root)] {
            home.events.send(event)
            await home.settle()
        }
        #expect(try home.library.markFiles.all() == before)
        #expect(home.logged.count { $0.contains("all 2 mark files in ") } == 1)
        // The files come back unchanged, and nothing is drawn again.
        moveBack(["x", "y"], home)
        await home.settle()
        // Moving a file changes its status, but not its content.
        #expect(try home.library.markFiles.all().map(\.content) == before.map(\.content))
        #expect(home.keeper.folders.emptied == [])
        #expect(try home.drawn(on: "1a") == drawn && !drawn.isEmpty)
        home.end()
    }

    @Test @LoopActor func eachFileStaysInDoubtUntilItIsBackItself() async throws {
        try write()
        let home = try await start()
        try await moveAway(["x", "y"], home)
        await home.settle()
        moveBack(["x"], home)
        await home.settle()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.away == [root: 1])
        // A file that is back can be deleted like any other.
        try await moveAway(["x"], home)
        await home.settle()
        #expect(try known(home) == ["y.marks"])
        // A file that turns up under another name is back, too.
        #expect(rename(folder.path("away/y.marks.json"), path("new y")) == 0)
        home.events.send(.written(path("new y")))
        await home.settle()
        #expect(try known(home) == ["new y.marks"])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }

    /// Files that can turn up in a folder where a disk was mounted before.
    enum Newcomer: CaseIterable {
        case marks, brokenJournal, danglingLink
    }

    private func put(_ newcomer: Newcomer) throws -> String {
        switch newcomer {
        case .marks:
            try AtomicFile.write(MarkText.native("1b", [MarkText.Dot(page: 0, x: 0.5)]), to: path("new"))
            return path("new")
        case .brokenJournal:
            try AtomicFile.write("no journal", to: root + "/new.xopp")
            return root + "/new.xopp"
        case .danglingLink:
            #expect(symlink(folder.path("nowhere"), path("new")) == 0)
            return path("new")
        }
    }

    @Test(arguments: Newcomer.allCases)
    @LoopActor func aNewcomerInAnEmptiedFolderProvesNothingAboutTheOthers(newcomer: Newcomer) async throws {
        try write()
        var home = try await start()
        #expect(rename(root, folder.path("away")) == 0)
        try Folder.create(root)
        home.events.send(.rescan(root))
        await home.settle()
        home.events.send(.written(try put(newcomer)))
        await home.settle()
        for event in [FileEvent.removed(path("x")), .rescan(root)] {
            home.events.send(event)
            await home.settle()
        }
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.away == [root: 2])
        #expect(home.keeper.folders.troubles.contains { $0.subject == root })
        #expect(!home.logged.contains { $0.contains("is gone; what it had is kept") })
        home.end()

        // The next agent keeps the marks, too, until a person gives the files up.
        home = try await start()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.away == [root: 2])
        #expect(try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: home.library.folder, at: Samples.monday).count == 2)
        await home.lookAgain()
        #expect(try known(home) == [])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }

    /// The folder was not scanned between the loss of the disk and the arrival of the new file.
    @Test @LoopActor func aNewcomerThatIsFoundTogetherWithAnEmptiedFolderProvesNothingEither() async throws {
        try write()
        var home = try await start()
        home.end()
        #expect(rename(root, folder.path("away")) == 0)
        try Folder.create(root)
        _ = try put(.marks)
        home = try await start()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.away == [root: 2])
        home.end()

        // The disk is back, over the files that were saved in its place.
        unlink(path("new"))
        rmdir(root)
        #expect(rename(folder.path("away"), root) == 0)
        home = try await start()
        #expect(try known(home) == ["x.marks", "y.marks"])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }

    @Test @LoopActor func filesThatAreDeletedOneAfterTheOtherAreGone() async throws {
        try write()
        let home = try await start()
        try await moveAway(["x", "y"], home, apart: .seconds(5))
        await home.settle()
        #expect(try known(home) == [])
        #expect(home.keeper.folders.emptied == [])
        #expect(home.logged.count { $0.contains("is gone; what it had is kept") } == 2)
        home.end()
    }

    /// What is left in a folder shows that its disk is there.
    @Test(arguments: [true, false]) @LoopActor func theOnlyFileIsGoneWhereItsFolderIsOtherwiseThere(isThere: Bool) async throws {
        try write()
        unlink(path("y"))
        if isThere { try Folder.create(root + "/Sunday Morning") }
        var home = try await start()
        home.end()
        unlink(path("x"))
        home = try await start()
        #expect(try known(home) == (isThere ? [] : ["x.marks"]))
        #expect(home.keeper.folders.emptied == (isThere ? [] : [root]))
        #expect(try home.library.markFiles.history(of: AttachmentID("1a")).count == (isThere ? 1 : 0))
        home.end()
    }

    @Test @LoopActor func severalFilesAreGoneWhereOthersStayOrCome() async throws {
        try write()
        let text = try AtomicFile.read(path("x"), limit: 1 << 20)
        for name in ["a", "z"] { try text.withUnsafeBytes { try AtomicFile.write($0, to: path(name)) } }
        let home = try await start()
        try await moveAway(["x", "y", "a"], home)
        await home.settle()
        #expect(try known(home) == ["z.marks"])
        moveBack(["a"], home)
        await home.settle()
        // All files get other names.
        for name in ["a", "z"] {
            #expect(rename(path(name), path("new " + name)) == 0)
            home.events.send(.removed(path(name)))
            home.events.send(.written(path("new " + name)))
        }
        await home.settle()
        #expect(try known(home) == ["new a.marks", "new z.marks"])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }

    @Test @LoopActor func aSetThatIsMovedOutOfTheFolderIsForgottenOnlyWithOthersBeside() async throws {
        try write()
        try Folder.create(root + "/set")
        for name in ["x", "y"] { #expect(rename(path(name), path("set/" + name)) == 0) }
        let home = try await start()
        let before = try home.library.markFiles.all()
        #expect(rename(root + "/set", folder.path("set")) == 0)
        home.events.send(.folderRemoved(root + "/set"))
        await home.settle()
        #expect(try home.library.markFiles.all() == before)
        #expect(home.keeper.folders.emptied == [root])
        // Once a person gives the files up, they are forgotten, and the folder is no longer reported.
        _ = try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: home.library.folder, at: Samples.monday)
        await home.lookAgain()
        #expect(try known(home) == [])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }
}
