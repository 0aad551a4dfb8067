import Agent
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// A folder of marks whose files are all gone at once looks like a disk that is not there.
@Suite(.onLoop, .timeLimit(.minutes(1)))
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
        func told() -> Int { stage.logged.count { $0.contains("has none of the 2 files") } }
        stage.agent.beginUpkeep()
        await stage.sync()
        #expect(try stage.library.localLayers(of: AttachmentID("1a")).count == 2)
        for absence in 1...2 {
            rename(root, folder.path("away"))
            for event in [FileEvent.folderRemoved(root), .rescan(root), .rescan(root)] {
                stage.events.send(event)
                await stage.settleAsTold()
            }
            #expect(told() == absence)
            #expect(try stage.library.localLayers(of: AttachmentID("1a")).count == 2)
            rename(folder.path("away"), root)
            stage.events.send(.rescan(root))
            await stage.settleAsTold()
        }
        #expect(told() == 2)
        await stage.agent.stop()
    }

    /// Whoever runs beside the agent lets go of them, and the agent draws without them; what comes back is read again.
    @Test @LoopActor func whoSaysThatTheyAreGoneIsBelieved() async throws {
        try write()
        let stage = try Stage(
            Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: MarkRoots([root]))))
        func annotated() throws -> [ImageFate] {
            try stage.library.imageRecords().filter { $0.name.variant == .annotated }.map(\.fate)
        }
        stage.agent.beginUpkeep()
        await stage.sync()
        #expect(try annotated() == [.made])
        #expect(try Library.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder).count == 0, "all are there")

        rename(root, folder.path("away"))
        stage.events.send(.folderRemoved(root))
        await stage.settleAsTold()
        #expect(stage.logged.contains { $0.contains("woodshed accept --gone '\(root)'") })
        let outcome = try Library.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder)
        #expect(outcome.count == 2 && outcome.kept == 0)
        #expect(outcome.charts.map(\.marks) == [2] && outcome.charts.map(\.attachment) == [AttachmentID("1a")])
        stage.agent.reconcile()
        await stage.settleAsTold()
        #expect(try stage.library.localLayers(of: AttachmentID("1a")).isEmpty)
        _ = stage.newJobs()

        rename(folder.path("away"), root)
        stage.events.send(.rescan(root))
        await stage.settleAsTold()
        #expect(try stage.library.localLayers(of: AttachmentID("1a")).count == 2)
        #expect(stage.newJobs().isEmpty, "the image with them is still there")
        await stage.agent.stop()
    }
}
