import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program, with a musician's marks on a separate disk that comes and goes.
@Suite(.onLoop, .needs(.otherPrograms))
struct MarkDiskTests {
    private static let reason: Comment = "this system does not let a plain user mount a small disk of his own"

    /// A synced home whose folder of marks is a disk.
    @LoopActor
    private struct Scene {
        let home: AgentHome
        let disk: SmallDisk
        var marks: String { home.folder.path("marks") }

        init(_ demo: StandIn) async throws {
            home = try AgentHome(demo)
            try Folder.create(home.folder.path("marks"))
            let path = home.folder.path("config/woodshed.yaml")
            let text = String(decoding: try AtomicFile.read(path, limit: 1 << 16), as: UTF8.self)
            try AtomicFile.write(text + "\nannotations:\n  folders: [\(home.folder.path("marks"))]\n", to: path)
            disk = try await SmallDisk.mount(on: home.folder.path("marks"), "size=4m")
        }

        func run(_ words: String...) async throws -> Program.Result {
            try await disk.start("woodshed", words + ["--home", home.folder.path], environment: AgentHome.environment).result()
        }

        func ready(_ exit: Int32, _ what: Comment? = nil) async throws -> String {
            let result = try await run("ready")
            #expect(result.exit == .code(exit), what ?? "\(result.output)\(result.messages)")
            return result.output
        }

        /// Writes files of marks for `count` charts of the coming plans, under the same names every time.
        func write(_ count: Int) async throws {
            let answer = try await run("ready", "--json").output
            let plans = try JSONDecoder().decode(Plans.self, from: Data(answer.utf8)).plans
            let charts = plans.flatMap(\.charts).filter { $0.hash != nil }.map(\.id)
            try #require(charts.count > 2)
            for (place, chart) in charts.prefix(count).enumerated() {
                let text = MarkText.native(chart, [MarkText.Dot(page: 0, x: 0.5)])
                try AtomicFile.write(text, to: disk.path + "/\(place).marks.json")
            }
        }

        /// Mounts another disk over the first, which reappears when the other is unmounted.
        func mountAnother() async throws { try await mount("/bin/mount", "-t", "tmpfs", "tmpfs", marks) }

        func mount(_ program: String, _ words: String...) async throws {
            #expect(try await disk.start(program: program, words, environment: []).result().exit == .code(0))
        }

        /// Runs an agent during `body`.
        func withAgent(_ body: () async throws -> Void) async throws {
            let agent = try disk.start("woodshed", ["agent", "--home", home.folder.path], environment: AgentHome.environment)
            try await AgentHome.untilAsleep(agent)
            try await body()
            agent.child.kill(SIGTERM)
            #expect(try await agent.result().exit == .code(0))
        }

        private struct Plans: Decodable {
            struct Plan: Decodable {
                struct Chart: Decodable { let id: String, hash: String? }
                let charts: [Chart]
            }
            let plans: [Plan]
        }
    }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func whatAnOlderCopyThatIsMountedOverTheMarksLacksIsNotReady() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let scene = try await Scene(demo)
        defer { scene.disk.unmount() }
        #expect(try await scene.run("sync").exit == .code(0))
        try await scene.write(3)
        #expect(try await scene.run("sync").exit == .code(0))
        _ = try await scene.ready(0)

        try await scene.mountAnother()
        try await scene.write(2)
        let missing = scene.marks + "/2.marks.json"
        let alone = try await scene.ready(3)
        #expect(alone.contains("--gone \(scene.marks)"), "\(alone)")
        try await scene.withAgent {
            let beside = try await scene.ready(3)
            #expect(beside.contains("--gone \(scene.marks)"), "\(beside)")
        }
        // By now the agent has read everything, and has accepted no deletion.
        let after = try await scene.ready(3)
        #expect(after.contains("--gone \(scene.marks)"), "\(after)")
        let library = try Library(readingFrom: scene.home.folder.path("data"))
        #expect(try library.markFiles.all().map(\.path).contains(missing))
        library.close()

        #expect(try await scene.run("accept", "--yes", "--gone", scene.marks).exit == .code(0))
        #expect(try await scene.run("sync").exit == .code(0))
        _ = try await scene.ready(0)
        try await scene.mount("/bin/umount", scene.marks)
        #expect(try await scene.run("sync").exit == .code(0))
        #expect(try await scene.ready(0).contains("Ready"))
    }

    @Test(.enabled(if: SmallDisk.canMount, reason))
    @LoopActor func aFolderThatLostItsOnlyFileWithItsDiskIsNotReady() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let scene = try await Scene(demo)
        defer { scene.disk.unmount() }
        #expect(try await scene.run("sync").exit == .code(0))
        try await scene.write(1)
        #expect(try await scene.run("sync").exit == .code(0))
        _ = try await scene.ready(0)

        try await scene.mountAnother()
        _ = try await scene.ready(3, "without an agent")
        try await scene.withAgent { _ = try await scene.ready(3, "with an agent that began without it") }
        try await scene.mount("/bin/umount", scene.marks)
        _ = try await scene.ready(0, "it is back")
        try await scene.withAgent {
            _ = try await scene.ready(0)
            try await scene.mountAnother()
            _ = try await scene.ready(3, "with an agent that saw it go")
            try await scene.mount("/bin/umount", scene.marks)
            _ = try await scene.ready(0)
        }
        // A file deleted from a folder that stays was deleted on purpose.
        try await scene.withAgent {
            unlink(scene.disk.path + "/0.marks.json")
            try await waitUntil { try await scene.run("ready").exit == .code(0) }
        }
        let library = try Library(readingFrom: scene.home.folder.path("data"))
        #expect(try library.markFiles.all().isEmpty)
        library.close()
    }
}
