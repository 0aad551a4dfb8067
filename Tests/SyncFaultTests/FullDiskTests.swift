import DemoService
import Glibc
import Platform
import TestSupport
import Testing

/// The built program on a disk of a few megabytes, which is mounted where nobody else sees it.
@Suite(.onLoop, .timeLimit(.minutes(5)))
struct FullDiskTests {
    private static let bytes = 4 << 20

    /// Whether this machine lets us mount one.
    private nonisolated static let canMount: Bool = {
        let pid = fork("/usr/bin/unshare", ["-Urm", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        var status: Int32 = 0
        return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0
    }()

    private nonisolated static func fork(_ path: String, _ arguments: [String]) -> pid_t {
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in [Int32(0), 1, 2] { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
        var pid: pid_t = 0
        return posix_spawn(&pid, path, &actions, nil, &words, nil) == 0 ? pid : -1
    }

    @Test(.enabled(if: canMount, "this system does not let a plain user mount a small disk of his own"))
    @LoopActor func fullDiskIsToldAndGotOver() async throws {
        let demo = try DemoService.start(limit: .generous, load: DemoLoad(plans: 2, chartsPerPlan: 3, bytesPerChart: 400_000))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let data = home.folder.path("data")
        // Keeps the disk while agents come and go.
        let holder = try Program(
            "/usr/bin/unshare",
            [
                "-Urm", "/bin/sh", "-c",
                "mount -t tmpfs -o size=\(Self.bytes) tmpfs \"$1\" && head -c 3000000 /dev/zero >\"$1/filler\" && echo ready >&2 && exec sleep 600",
                "sh", data,
            ])
        defer { holder.child.kill(SIGKILL) }
        try await waitUntil { try holder.messagesSoFar().contains("ready") }
        let inside = "/proc/\(holder.child.pid)/root" + data
        let files = LibraryFiles(folder: inside)

        let first = try await sync(home, holder)
        #expect(first.exit == .code(0), "\(first.messages)")
        #expect(first.messages.contains("No space left on device"), "\(first.messages)")
        #expect(first.messages.contains("free some space"), "\(first.messages)")
        let faults = try files.faults()
        #expect(faults == [])
        #expect(try files.temporaryFiles() == [])
        #expect(try files.charts().count < 6)

        #expect(unlink(inside + "/filler") == 0)
        let second = try await sync(home, holder)
        #expect(second.exit == .code(0), "\(second.messages)")
        #expect(!second.messages.contains("No space left"), "\(second.messages)")
        #expect(try files.charts().count == 6)
        #expect(try files.faults() == [])
        #expect(try files.temporaryFiles() == [])
    }

    /// One run of the agent on the holder's disk.
    @LoopActor private func sync(_ home: AgentHome, _ holder: Program) async throws -> Program.Result {
        let agent = try Program(
            "/usr/bin/nsenter",
            [
                "-t", "\(holder.child.pid)", "-U", "-m", "--preserve-credentials", Program.folder + "/woodshed", "agent", "--home",
                home.folder.path,
            ], environment: AgentHome.environment)
        try await AgentHome.untilAsleep(agent)
        agent.child.kill(SIGTERM)
        return try await agent.result()
    }
}
