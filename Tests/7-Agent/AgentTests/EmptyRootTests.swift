import Agent
import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks
@testable import Readiness

/// A folder of marks whose files are all gone at once looks like a disk that is not there.
@Suite(.onLoop)
struct EmptyRootTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("music") }

    private func write() throws {
        try Folder.create(root)
        let text = #"{"version":1,"attachment_id":"1a","marks":[{"id":"m","page":0,"kind":"pen","points":[[0.1,0.2]]}]}"#
        for name in ["x", "y"] { try AtomicFile.write(text, to: root + "/\(name).marks.json") }
    }

    @Test @LoopActor func itIsToldOnceAndNothingIsForgotten() async throws {
        try write()
        let stage = try Stage(
            Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: MarkRoots([root]))))
        func told() -> Int { stage.logged.count { $0.contains("all 2 mark files in ") } }
        stage.agent.beginUpkeep()
        await stage.sync()
        #expect(try stage.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
        for absence in 1...2 {
            rename(root, folder.path("away"))
            for event in [FileEvent.folderRemoved(root), .rescan(root), .rescan(root)] {
                stage.events.send(event)
                await stage.settleAsTold()
            }
            #expect(told() == absence)
            #expect(try stage.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
            rename(folder.path("away"), root)
            stage.events.send(.rescan(root))
            await stage.settleAsTold()
        }
        #expect(told() == 2)
        await stage.agent.stop()
    }

    /// One of several files lies on a stick that is mounted below the folder, as far as the catalogue knows.
    @Test(arguments: [true, false]) @LoopActor func whatGoesAwayWithItsDiskStaysThoughOthersAreThere(isHeard: Bool) async throws {
        try write()
        let stage = try await start()
        #expect(try known(stage).count == 2)
        try stage.library.database.run("UPDATE local_files SET device = device + 1 WHERE path LIKE '%y.marks.json'")
        unlink(path("y"))
        stage.events.send(isHeard ? .removed(path("y")) : .rescan(root))
        await stage.settleAsTold()
        await stage.settleAsTold()
        #expect(try known(stage).count == 2)
        #expect(stage.logged.contains { $0.contains("their marks are kept") }, "\(stage.logged)")
        #expect(try await stage.agent.readiness().isReady)
        // Whoever deletes one on a disk that is there has meant it.
        unlink(path("x"))
        stage.events.send(.removed(path("x")))
        await stage.settleAsTold()
        try write()
        stage.events.send(.rescan(root))
        await stage.settleAsTold()
        #expect(try known(stage).count == 2)
        await stage.agent.stop()
    }

    @LoopActor private func start() async throws -> Stage {
        let stage = try Stage(Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: MarkRoots([root]))))
        stage.agent.beginUpkeep()
        await stage.sync()
        return stage
    }

    private func path(_ name: String) -> String { root + "/\(name).marks.json" }

    @LoopActor private func known(_ stage: Stage) throws -> [String] {
        try stage.library.markFiles.localLayers(of: AttachmentID("1a")).map(\.name)
    }

    /// Moves files away as a shell does, one right after the other, and tells of each.
    @LoopActor private func moveAway(_ names: [String], _ stage: Stage, apart: Duration = .zero) async throws {
        try Folder.create(folder.path("away"))
        for name in names {
            #expect(rename(path(name), folder.path("away/\(name).marks.json")) == 0)
            stage.events.send(.removed(path(name)))
            if apart > .zero { await stage.wait(for: apart) }
        }
    }

    @LoopActor private func moveBack(_ names: [String], _ stage: Stage) {
        for name in names {
            #expect(rename(folder.path("away/\(name).marks.json"), path(name)) == 0)
            stage.events.send(.written(path(name)))
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(100)])
    @LoopActor func filesThatAllWentAtOnceAreForgottenByNobody(apart: Duration) async throws {
        try write()
        let stage = try await start()
        _ = stage.newJobs()
        let before = try stage.library.markFiles.all()
        try await moveAway(["x", "y"], stage, apart: apart)
        await stage.settleAsTold()
        #expect(try stage.library.markFiles.all() == before)
        #expect(stage.agent.markFolders.emptied == [root])
        #expect(stage.agent.report(version: "", since: Timestamp(nanoseconds: 0)).marks.map(\.subject) == [root])
        #expect(stage.logged.count { $0.contains("all 2 mark files in ") } == 1)
        #expect(!stage.logged.contains { $0.contains("is gone") })
        // Whoever looks again finds the same.
        for event in [FileEvent.removed(path("x")), .rescan(root)] {
            stage.events.send(event)
            await stage.settleAsTold()
        }
        #expect(try stage.library.markFiles.all() == before)
        #expect(stage.logged.count { $0.contains("all 2 mark files in ") } == 1)
        // They come back as they went, and nothing is drawn for all that.
        moveBack(["x", "y"], stage)
        await stage.settleAsTold()
        // Moving a file is a change of it, if not of what it says.
        #expect(try stage.library.markFiles.all().map(\.content) == before.map(\.content))
        #expect(stage.agent.markFolders.emptied == [])
        #expect(stage.newJobs().isEmpty)
        await stage.agent.stop()
    }

    @Test @LoopActor func eachFileStaysInDoubtUntilItIsBackItself() async throws {
        try write()
        let stage = try await start()
        try await moveAway(["x", "y"], stage)
        await stage.settleAsTold()
        moveBack(["x"], stage)
        await stage.settleAsTold()
        #expect(try known(stage) == ["x.marks", "y.marks"])
        #expect(stage.agent.markFolders.away == [root: 1])
        // One that is back can be deleted as any other.
        try await moveAway(["x"], stage)
        await stage.settleAsTold()
        #expect(try known(stage) == ["y.marks"])
        // One that turns up under another name is back, too.
        #expect(rename(folder.path("away/y.marks.json"), path("new y")) == 0)
        stage.events.send(.written(path("new y")))
        await stage.settleAsTold()
        #expect(try known(stage) == ["new y.marks"])
        #expect(stage.agent.markFolders.emptied == [])
        await stage.agent.stop()
    }

    /// What can turn up in a folder in whose place a disk was.
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
    @LoopActor func aNewcomerInAnEmptiedFolderSaysNothingOfTheOthers(newcomer: Newcomer) async throws {
        try write()
        var stage = try await start()
        #expect(rename(root, folder.path("away")) == 0)
        try Folder.create(root)
        stage.events.send(.rescan(root))
        await stage.settleAsTold()
        stage.events.send(.written(try put(newcomer)))
        await stage.settleAsTold()
        for event in [FileEvent.removed(path("x")), .rescan(root)] {
            stage.events.send(event)
            await stage.settleAsTold()
        }
        #expect(try known(stage) == ["x.marks", "y.marks"])
        #expect(stage.agent.markFolders.away == [root: 2])
        #expect(stage.agent.report(version: "", since: Timestamp(nanoseconds: 0)).marks.contains { $0.subject == root })
        #expect(!stage.logged.contains { $0.contains("is gone, and its marks with it") })
        await stage.agent.stop()

        // Nor do they to the next agent; whoever says that they are gone is believed.
        stage = try await start()
        #expect(try known(stage) == ["x.marks", "y.marks"])
        #expect(stage.agent.markFolders.away == [root: 2])
        #expect(try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder, at: Samples.monday).count == 2)
        stage.agent.noteChange()
        await stage.settleAsTold()
        #expect(try known(stage) == [])
        #expect(stage.agent.markFolders.emptied == [])
        await stage.agent.stop()
    }

    /// Nobody looked between the disk's going and the newcomer's coming.
    @Test @LoopActor func aNewcomerThatIsFoundTogetherWithAnEmptiedFolderSaysNothingEither() async throws {
        try write()
        var stage = try await start()
        await stage.agent.stop()
        #expect(rename(root, folder.path("away")) == 0)
        try Folder.create(root)
        _ = try put(.marks)
        stage = try await start()
        #expect(try known(stage) == ["x.marks", "y.marks"])
        #expect(stage.agent.markFolders.away == [root: 2])
        await stage.agent.stop()

        // The disk is back, over what was saved in its place.
        unlink(path("new"))
        rmdir(root)
        #expect(rename(folder.path("away"), root) == 0)
        stage = try await start()
        #expect(try known(stage) == ["x.marks", "y.marks"])
        #expect(stage.agent.markFolders.emptied == [])
        await stage.agent.stop()
    }

    @Test @LoopActor func filesThatAreDeletedOneAfterTheOtherAreGone() async throws {
        try write()
        let stage = try await start()
        try await moveAway(["x", "y"], stage, apart: .seconds(5))
        await stage.settleAsTold()
        #expect(try known(stage) == [])
        #expect(stage.agent.markFolders.emptied == [])
        #expect(stage.logged.count { $0.contains("is gone, and its marks with it") } == 2)
        await stage.agent.stop()
    }

    @Test @LoopActor func severalFilesAreGoneWhereOthersStayOrCome() async throws {
        try write()
        let text = try AtomicFile.read(path("x"), limit: 1 << 20)
        for name in ["a", "z"] { try text.withUnsafeBytes { try AtomicFile.write($0, to: path(name)) } }
        let stage = try await start()
        try await moveAway(["x", "y", "a"], stage)
        await stage.settleAsTold()
        #expect(try known(stage) == ["z.marks"])
        moveBack(["a"], stage)
        await stage.settleAsTold()
        // All of them get other names.
        for name in ["a", "z"] {
            #expect(rename(path(name), path("new " + name)) == 0)
            stage.events.send(.removed(path(name)))
            stage.events.send(.written(path("new " + name)))
        }
        await stage.settleAsTold()
        #expect(try known(stage) == ["new a.marks", "new z.marks"])
        #expect(stage.agent.markFolders.emptied == [])
        await stage.agent.stop()
    }

    @Test @LoopActor func aSetThatIsMovedOutOfTheFolderIsForgottenOnlyWithOthersBeside() async throws {
        try write()
        try Folder.create(root + "/set")
        for name in ["x", "y"] { #expect(rename(path(name), path("set/" + name)) == 0) }
        let stage = try await start()
        let before = try stage.library.markFiles.all()
        #expect(rename(root + "/set", folder.path("set")) == 0)
        stage.events.send(.folderRemoved(root + "/set"))
        await stage.settleAsTold()
        #expect(try stage.library.markFiles.all() == before)
        #expect(stage.agent.markFolders.emptied == [root])
        // Somebody says that they are gone, and is believed: also of the folder.
        _ = try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder, at: Samples.monday)
        stage.agent.noteChange()
        await stage.settleAsTold()
        #expect(try known(stage) == [])
        #expect(stage.agent.markFolders.emptied == [])
        await stage.agent.stop()
    }

    /// Whoever runs beside the agent lets go of them, and the agent draws without them; what comes back is read again.
    @Test @LoopActor func whoSaysThatTheyAreGoneIsBelieved() async throws {
        try write()
        let stage = try Stage(
            Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: MarkRoots([root]))))
        func annotated() throws -> [ImageEvent] {
            try stage.library.images.records().filter { $0.name.variant == .annotated }.map(\.event)
        }
        stage.agent.beginUpkeep()
        await stage.sync()
        #expect(try annotated() == [.made])
        #expect(
            try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder, at: Samples.monday).count == 0, "all are there")

        rename(root, folder.path("away"))
        stage.events.send(.folderRemoved(root))
        await stage.settleAsTold()
        #expect(stage.logged.contains { $0.contains("woodshed accept --gone '\(root)'") })
        let outcome = try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder, at: Samples.monday)
        #expect(outcome.count == 2 && outcome.kept == 0)
        #expect(outcome.charts.map(\.marks) == [2] && outcome.charts.map(\.attachment) == [AttachmentID("1a")])
        stage.agent.reconcile()
        await stage.settleAsTold()
        #expect(try stage.library.markFiles.localLayers(of: AttachmentID("1a")).isEmpty)
        _ = stage.newJobs()

        rename(folder.path("away"), root)
        stage.events.send(.rescan(root))
        await stage.settleAsTold()
        #expect(try stage.library.markFiles.localLayers(of: AttachmentID("1a")).count == 2)
        #expect(stage.newJobs().isEmpty, "the image with them is still there")
        await stage.agent.stop()
    }
}
