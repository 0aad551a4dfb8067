import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program with a library on a disk that has become read-only.
@Suite(.onLoop, .needs(.otherPrograms))
struct ReadOnlyDiskTests {
    @Test(.enabled(if: SmallDisk.canMount, "this system does not let a plain user mount a small disk of his own"))
    @LoopActor func everyCommandSaysWhatItIs() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let data = home.folder.path("data")
        let disk = try await SmallDisk.mount(on: data, "size=200m")
        defer { disk.unmount() }
        func run(_ words: String...) async throws -> Program.Result {
            try await disk.start("woodshed", words + ["--home", home.folder.path], environment: AgentHome.environment).result()
        }
        func remount(_ how: String) async throws {
            let mount = try disk.start(program: "/bin/mount", ["-o", "remount,\(how)", data], environment: [])
            #expect(try await mount.result().exit == .code(0))
        }
        try await remount("ro")
        let empty = try await run("sync")
        #expect(empty.exit == .code(1) && empty.messages.contains("the disk is read-only"), "\(empty.messages)")
        try await remount("rw")
        #expect(try await run("sync").exit == .code(0))
        try await remount("ro")

        #expect(try await run("ready").exit == .code(0))
        for words in [["pin", "next"], ["layers", "riverside", "--hide", "roadmap"], ["accept", "67810002"]] {
            let result = try await disk.start("woodshed", words + ["--home", home.folder.path], environment: []).result()
            #expect(result.exit == .code(1))
            #expect(result.messages.contains("the disk is read-only, so nothing new is kept"), "\(words): \(result.messages)")
        }
        let sync = try await run("sync")
        #expect(sync.exit == .code(3), "\(sync.messages)")
        #expect(sync.messages.contains("what is here stays usable"), "\(sync.messages)")
        let doctor = try await run("doctor")
        #expect(doctor.output.contains("remount,rw") && !doctor.output.contains("chmod"), "\(doctor.output)")

        // The stored music is still shown.
        let agent = try disk.start("woodshed", ["agent", "--home", home.folder.path], environment: AgentHome.environment)
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let status = try await run("status")
        #expect(status.output.contains("no new chart, change or mark is kept"), "\(status.output)\(status.messages)")
        // The agent cannot write its later state to the disk, and the answer is read from the disk.
        let told = try await run("status", "--json")
        #expect(told.output.contains("\"last_try\"") && told.output.contains("\"last_good\":null"), "\(told.output)")
        #expect(await home.isAnswered("/v1/select?chart=79073904&page=0"))
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }
}
