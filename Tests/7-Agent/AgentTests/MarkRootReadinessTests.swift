import Agent
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks
@testable import Readiness

/// Reports on a folder of marks that cannot be read.
@Suite(.onLoop)
struct MarkRootReadinessTests {
    private let folder = TemporaryFolder()

    @Test(.enabled(if: geteuid() != 0, "root may read every folder"))
    @LoopActor func aFolderThatCannotBeReadIsToldOnce() async throws {
        try Folder.create(folder.path("m/in"))
        for (place, name) in ["m/p1", "m/in/p2"].enumerated() {
            let text = MarkText.native("1a", [MarkText.Dot(page: 0, x: Double(place + 1) / 8)])
            try AtomicFile.write(text, to: folder.path(name + ".marks.json"))
        }
        let settings = AgentSettings(marks: MarkSettings(roots: MarkRoots([folder.path("m")])))
        let stage = try Stage(Season.plans, in: folder, settings: settings)
        stage.stay()
        await stage.sync()
        chmod(folder.path("m/in"), 0)
        for _ in 0..<2 {
            stage.events.send(.rescan(folder.path("m")))
            await stage.settleAsTold()
        }
        #expect(stage.logged.count { $0.contains("m/in cannot be read") } == 1)
        #expect(stage.agent.markFolders.unreadable == [folder.path("m/in")])
        #expect(try stage.library.markFiles.all().count == 2)
        let outlook = try await stage.agent.outlook(of: stage.agent.plansKeptReady())
        let lacks = outlook.flatMap { $0.report.lacks + $0.report.charts.flatMap(\.lacks) }
        #expect(lacks.contains(.marksUnseen(inFolder: folder.path("m/in"))), "\(lacks)")
        chmod(folder.path("m/in"), 0o700)
        // This is the event with which the watcher reports a folder that it can read again.
        stage.events.send(.rescan(folder.path("m/in")))
        await stage.settleAsTold()
        #expect(stage.agent.markFolders.unreadable == [])
        await stage.agent.stop()
    }
}
