import Agent
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks
@testable import Readiness

/// What is said of marks when the folders that are looked at are others than they were.
@Suite(.onLoop)
struct MarkRootReadinessTests {
    private let folder = TemporaryFolder()
    private let attachment = AttachmentID("1a")

    private func text(_ x: Double) -> String { MarkText.native("1a", [MarkText.Dot(page: 0, x: x)]) }

    private func write(_ x: Double, to path: String) throws {
        try Folder.create(Folder.parent(of: folder.path(path)))
        try AtomicFile.write(text(x), to: folder.path(path))
    }

    @LoopActor private func start(_ roots: [String], ignoring: [String] = [".*"]) async throws -> Stage {
        let roots = MarkRoots(roots.map { folder.path($0) }, ignoring: ignoring)
        let stage = try Stage(Season.plans, in: folder, settings: AgentSettings(marks: MarkSettings(roots: roots)))
        stage.stay()
        await stage.sync()
        return stage
    }

    @LoopActor private func known(_ stage: Stage) throws -> [String] {
        try stage.library.markFiles.all().map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    /// One file lies in one folder, two in the other.
    @LoopActor private func startWithTwoFolders() async throws -> Stage {
        try write(0.1, to: "m/p1.marks.json")
        try write(0.2, to: "other/p2.marks.json")
        try write(0.3, to: "other/p3.marks.json")
        return try await start(["m", "other"])
    }

    @Test(arguments: [["m"], ["m", "othre"]])
    @LoopActor func filesOfAFolderThatIsNotConfiguredAnyMoreStayUntilSomebodyLetsThemGo(roots: [String]) async throws {
        var stage = try await startWithTwoFolders()
        let before = try stage.library.markFiles.all()
        #expect(before.count == 3)
        await stage.agent.stop()

        let other = folder.path("other")
        for _ in 0..<2 {
            stage = try await start(roots)
            #expect(try stage.library.markFiles.all() == before)
            #expect(stage.logged.count { $0.contains("\(other) is no longer in annotations.folders") } == 1)
            let readiness = try await stage.agent.readiness()
            #expect(readiness.isReady, "\(readiness.lacks)")
            let told = try #require(readiness.otherMarkFolders.first { $0.subject == other })
            #expect(told.message.contains("2 files") && told.message.hasSuffix("woodshed accept --gone \(other.shellQuoted)"), "\(told)")
            await stage.agent.stop()
        }
        // What is saved there is not drawn any more, and that is a lack.
        try write(0.9, to: "other/p3.marks.json")
        stage = try await start(roots)
        #expect(try stage.library.markFiles.all() == before)
        let lacks = try await stage.agent.readiness().lacks
        #expect(lacks == [.marksUnread(path: folder.path("other/p3.marks.json"), .savedOutside)])
        // Those that are not where they were are of no folder for two reasons.
        unlink(folder.path("other/p3.marks.json"))
        await stage.agent.stop()
        stage = try await start(roots)
        #expect(try known(stage) == ["m/p1.marks.json", "other/p2.marks.json"])
        #expect(stage.logged.count { $0.contains("no longer read") } == 1)

        let gone = try MarkFileStore.letGo(
            ofFilesBelow: other, inLibraryAt: stage.library.folder, at: stage.clock.timestamp, isOutside: { $0.hasPrefix(other) })
        #expect(gone.count == 1)
        stage.agent.noteChange()
        await stage.settleAsTold()
        #expect(try known(stage) == ["m/p1.marks.json"])
        #expect(try await stage.agent.readiness().otherMarkFolders.allSatisfy { $0.subject != other })
        await stage.agent.stop()
        stage = try await start(["m", "other"])
        #expect(try known(stage) == ["m/p1.marks.json", "other/p2.marks.json"])
        await stage.agent.stop()
    }

    /// As a link does that took a folder's place; or a disk that says too little.
    @Test @LoopActor func filesThatAreThereButNotListedStayAndAreRead() async throws {
        for name in ["m/in/p1", "m/in/p2", "m/p3"] { try write(0.1, to: name + ".marks.json") }
        let stage = try await start(["m"])
        let before = try stage.library.markFiles.all()
        #expect(rename(folder.path("m/in"), folder.path("elsewhere")) == 0)
        #expect(symlink(folder.path("elsewhere"), folder.path("m/in")) == 0)
        let readiness = try await stage.agent.readiness()
        #expect(readiness.isReady, "\(readiness.lacks)")
        let told = try #require(readiness.otherMarkFolders.first { $0.message.contains("listed without 2 mark files that are there") })
        #expect(told.subject == folder.path("m/in"))
        try write(0.2, to: "elsewhere/p2.marks.json")
        stage.events.send(.rescan(folder.path("m")))
        stage.agent.noteChange()
        await stage.settleAsTold()
        #expect(try stage.library.markFiles.all().map(\.path) == before.map(\.path))
        #expect(stage.logged.count { $0.contains("listed without 2 mark files") } == 1, "\(stage.logged)")
        #expect(try await stage.agent.readiness().isReady, "it was read")
        await stage.agent.stop()
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every folder"))
    @LoopActor func aFolderThatCannotBeReadIsToldOnce() async throws {
        try write(0.1, to: "m/p1.marks.json")
        try write(0.2, to: "m/in/p2.marks.json")
        let stage = try await start(["m"])
        chmod(folder.path("m/in"), 0)
        for _ in 0..<2 {
            stage.events.send(.rescan(folder.path("m")))
            await stage.settleAsTold()
        }
        #expect(stage.logged.count { $0.contains("m/in cannot be read") } == 1)
        #expect(stage.agent.markFolders.unreadable == [folder.path("m/in")])
        #expect(try known(stage).count == 2)
        let outlook = try await stage.agent.outlook(of: stage.agent.plansKeptReady())
        let lacks = outlook.flatMap { $0.report.lacks + $0.report.charts.flatMap(\.lacks) }
        #expect(lacks.contains(.marksUnseen(inFolder: folder.path("m/in"))), "\(lacks)")
        chmod(folder.path("m/in"), 0o700)
        // As the watcher tells it.
        stage.events.send(.rescan(folder.path("m/in")))
        await stage.settleAsTold()
        #expect(stage.agent.markFolders.unreadable == [])
        await stage.agent.stop()
    }
}
