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

/// Readiness and images where files of marks are away, until they are back or let go.
@Suite(.onLoop)
struct AwayMarksTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("music") }

    private func write() throws {
        try Folder.create(root)
        let text = #"{"version":1,"attachment_id":"1a","marks":[{"id":"m","page":0,"kind":"pen","points":[[0.1,0.2]]}]}"#
        for name in ["x", "y"] { try AtomicFile.write(text, to: root + "/\(name).marks.json") }
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
        #expect(try await stage.agent.readiness().lacks == [.marksUnread(path: path("y"), .away)], "it may have changed on its disk")
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
        stage.stay()
        await stage.sync()
        return stage
    }

    private func path(_ name: String) -> String { root + "/\(name).marks.json" }

    @LoopActor private func known(_ stage: Stage) throws -> [String] {
        try stage.library.markFiles.localLayers(of: AttachmentID("1a")).map(\.name)
    }

    /// Whoever runs beside the agent lets go of them, and the agent draws without them; what comes back is read again.
    @Test @LoopActor func whoSaysThatTheyAreGoneIsBelieved() async throws {
        try write()
        let stage = try Stage(
            Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: MarkRoots([root]))))
        func annotated() throws -> [ImageEvent] {
            try stage.library.images.records().filter { $0.name.variant == .annotated }.map(\.event)
        }
        stage.stay()
        await stage.sync()
        #expect(try annotated() == [.made])
        #expect(
            try MarkFileStore.letGo(ofFilesBelow: root, inLibraryAt: stage.library.folder, at: Samples.monday).count == 0, "all are there")

        rename(root, folder.path("away"))
        stage.events.send(.folderRemoved(root))
        await stage.settleAsTold()
        #expect(stage.logged.contains { $0.contains("woodshed accept --gone \(root.shellQuoted)") })
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
