import DemoService
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program on a disk of a few megabytes, which other processes do not see.
@Suite(.onLoop, .needs(.otherPrograms))
struct FullDiskTests {
    private static let bytes = 4 << 20

    @Test(.enabled(if: SmallDisk.canMount, "this system does not let a plain user mount a small disk of his own"))
    @LoopActor func fullDiskIsToldAndGotOver() async throws {
        let demo = try StandIn.start(load: DemoLoad(plans: 2, chartsPerPlan: 3, bytesPerChart: 400_000))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let data = home.folder.path("data")
        let disk = try await SmallDisk.mount(on: data, "size=\(Self.bytes)")
        defer { disk.unmount() }
        let inside = disk.path
        // The file must not be sparse, or it would not fill the disk.
        try AtomicFile.write(String(repeating: "x", count: 3_000_000), to: inside + "/filler")
        let files = LibraryFiles(folder: inside)

        let first = try await sync(home, disk)
        #expect(first.exit == .code(0), "\(first.messages)")
        #expect(first.messages.contains("No space left on device"), "\(first.messages)")
        #expect(first.messages.contains("free some space"), "\(first.messages)")
        let faults = try files.faults()
        #expect(faults == [])
        #expect(try files.temporaryFiles() == [])
        #expect(try files.charts().count < 6)

        #expect(unlink(inside + "/filler") == 0)
        let second = try await sync(home, disk)
        #expect(second.exit == .code(0), "\(second.messages)")
        #expect(!second.messages.contains("No space left"), "\(second.messages)")
        #expect(try files.charts().count == 6)
        #expect(try files.faults() == [])
        #expect(try files.temporaryFiles() == [])
    }

    /// Facts that could not be stored are found again once there is room; until then, the reason is reported.
    @Test(.enabled(if: SmallDisk.canMount, "this system does not let a plain user mount a small disk of his own"))
    @LoopActor func agentGoesOnWhenThereIsRoomAgain() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let data = home.folder.path("data")
        let disk = try await SmallDisk.mount(on: data, "size=2m")
        defer { disk.unmount() }
        let agent = try disk.start("woodshed", ["agent", "--home", home.folder.path], environment: AgentHome.environment)
        try await AgentHome.untilAsleep(agent)
        func run(_ words: String...) async throws -> Program.Result {
            try await disk.start("woodshed", words + ["--home", home.folder.path], environment: AgentHome.environment).result()
        }
        let status = try await run("status")
        #expect(status.output.contains("Needs attention:"), "\(status.output)")
        #expect(status.output.contains("No space left on device"), "\(status.output)")
        let full = try await run("sync")
        #expect(full.exit == .code(3), "\(full.messages)")
        #expect(full.messages.contains("No space left on device"), "\(full.messages)")

        let mount = try disk.start(program: "/bin/mount", ["-o", "remount,size=200m", data], environment: [])
        #expect(try await mount.result().exit == .code(0))
        let roomy = try await run("sync")
        #expect(roomy.exit == .code(0), "\(roomy.messages)")
        let ready = try await run("ready", "--plan", "all")
        #expect(ready.exit == .code(0), "\(ready.output)")
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    /// The stored music can be played, whatever the disk refuses; the refusal is reported.
    @Test(.enabled(if: SmallDisk.canMount, "this system does not let a plain user mount a small disk of his own"))
    @LoopActor func whatIsHereIsShownFromAFullDisk() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let data = home.folder.path("data")
        let disk = try await SmallDisk.mount(on: data, "size=32m")
        defer { disk.unmount() }
        func run(_ words: String...) async throws -> Program.Result {
            try await disk.start("woodshed", words + ["--home", home.folder.path], environment: AgentHome.environment).result()
        }
        #expect(try await run("sync").exit == .code(0))
        let fill = try disk.start(
            program: "/bin/dd", ["if=/dev/zero", "of=\(data)/filler", "bs=4k", "status=none"], environment: [])
        #expect(try await fill.result().messages.contains("No space left on device"))

        let said = "no new chart, change or mark is kept; free some space"
        let image = home.folder.path("page.png")
        for words in [
            ["status"], ["ready"], ["layers", "riverside"], ["plans"], ["log"], ["why", "79073904", "1", "--size", "100", "-o", image],
        ] {
            let result = try await disk.start("woodshed", words + ["--home", home.folder.path], environment: AgentHome.environment).result()
            #expect(result.exit == .code(0), "\(words): \(result.output)\(result.messages)")
            #expect(result.messages.contains(said), "\(words): \(result.messages)")
        }
        let status = try await run("status", "--json")
        #expect(status.output.contains(said), "\(status.output)")
        let pin = try await run("pin", "next")
        #expect(pin.exit == .code(1) && pin.messages.contains("free some space and try again"), "\(pin.messages)")
        let sync = try await run("sync")
        #expect(sync.exit == .code(3) && sync.messages.contains("free some space"), "\(sync.messages)")

        let agent = try disk.start("woodshed", ["agent", "--home", home.folder.path], environment: AgentHome.environment)
        try await AgentHome.untilAsleep(agent)
        #expect(try await run("status").output.contains(said))
        #expect(await home.isAnswered("/v1/select?chart=79073904&page=0"))
        #expect(unlink(disk.path + "/filler") == 0)
        // After a reload, the agent finds the free space without waiting for the next poll.
        agent.child.kill(SIGHUP)
        try await waitUntil { try agent.messagesSoFar().contains("the agent is reloading") }
        try await waitUntil { try await !run("status").output.contains(said) }
        #expect(try await run("sync").exit == .code(0))
        #expect(try await run("pin", "next").exit == .code(0))
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    /// Runs the agent on the disk until all its work is done.
    @LoopActor private func sync(_ home: AgentHome, _ disk: SmallDisk) async throws -> Program.Result {
        let agent = try disk.start("woodshed", ["agent", "--home", home.folder.path], environment: AgentHome.environment)
        try await AgentHome.untilAsleep(agent)
        agent.child.kill(SIGTERM)
        return try await agent.result()
    }
}
