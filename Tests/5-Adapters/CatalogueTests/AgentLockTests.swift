import Glibc
import Platform
import TestSupport
import Testing

@testable import Catalogue

@Suite(.onLoop)
struct AgentLockTests {
    private let folder = TemporaryFolder()

    @Test func secondTakerIsRefusedWithTheHoldersNumber() throws {
        let first = try AgentLock.take(in: folder.path)
        let failure = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: folder.path) }
        #expect(failure?.description.contains("process \(getpid())") == true)
        withExtendedLifetime(first) {}
    }

    /// A running command ends by itself, and must not be killed while it writes.
    @Test func onlyAnAgentIsReportedAsOneThatMayBeStopped() throws {
        let first = try AgentLock.take(in: folder.path)
        let busy = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: folder.path) }
        #expect(busy?.description.contains("try again when it has finished") == true)
        #expect(busy?.description.contains("kill") == false)
        first.note(socket: "/run/x.sock")
        let agent = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: folder.path) }
        #expect(agent?.description.contains("stop it with 'kill \(getpid())'") == true)
    }

    /// Only SIGKILL ends a stopped process.
    @Test @LoopActor func theCommandThatEndsAnAgentEndsAStoppedOneToo() async throws {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let child = try Child.start(
            "/bin/sleep", arguments: ["600"], environment: [], descriptors: [null.number, null.number, null.number])
        #expect(AgentLock.ending(child.pid) == "kill \(child.pid)")
        #expect(AgentLock.ending(child.pid, hangs: true) == "kill -9 \(child.pid)")
        child.kill(SIGSTOP)
        try await waitUntil { AgentLock.ending(child.pid) == "kill -9 \(child.pid)" }
        #expect(AgentLock.replacing(child.pid) == "kill -9 \(child.pid); then: woodshed agent")
        child.kill(SIGKILL)
        _ = await child.exit()
    }

    @Test func aServiceIsRestartedByItsManager() {
        let words = AgentLock.restarting(isService: true, ending: "systemctl --user stop woodshed")
        #expect(words == "restart it with 'systemctl --user restart woodshed'")
        #expect(AgentLock.restarting(isService: false, ending: "kill -9 7") == "stop it with 'kill -9 7' and start it again")
    }

    @Test func lockGoesWithItsHolder() throws {
        var first: AgentLock? = try AgentLock.take(in: folder.path)
        withExtendedLifetime(first) {}
        first = nil
        _ = try AgentLock.take(in: folder.path)
    }

    @Test func leftFileOfADeadProcessIsNoLock() throws {
        let file = fopen(folder.path("agent.lock"), "w")!
        fputs("99999\n", file)
        fclose(file)
        _ = try AgentLock.take(in: folder.path)
    }

    @Test func missingFolderIsReportedAsSuch() {
        let path = folder.path("missing")
        let failure = #expect(throws: AgentLock.Failure.self) { try AgentLock.take(in: path) }
        #expect(failure?.description == "cannot open \(path)/agent.lock: No such file or directory")
    }

    @Test func lockOfACacheStandsBesideItAndOutlivesIt() throws {
        let cache = folder.path("cache")
        try Folder.create(cache)
        let link = folder.path("link")
        #expect(symlink(cache, link) == 0)
        let first = try AgentLock.take(besideCache: cache)
        #expect(first != nil)
        #expect(rmdir(cache) == 0, "nothing of it is in there")
        try Folder.create(cache)
        for name in [cache, link, cache + "/"] {
            let failure = #expect(throws: AgentLock.Failure.self) { _ = try AgentLock.take(besideCache: name) }
            #expect(failure?.description.contains("process \(getpid())) is using this page cache") == true)
        }
        withExtendedLifetime(first) {}
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere")) func cacheOnADiskOfItsOwnNeedsNone() throws {
        let parent = folder.path("mounts")
        try Folder.create(parent + "/cache")
        chmod(parent, 0o500)
        defer { chmod(parent, 0o700) }
        #expect(try AgentLock.take(besideCache: parent + "/cache") == nil)
    }

    @Test(arguments: [
        ("1: FLOCK  ADVISORY  WRITE 812 08:01:393 0 EOF", true), ("1: FLOCK  ADVISORY  WRITE 813 08:01:393 0 EOF", false),
        ("1: FLOCK  ADVISORY  WRITE 812 08:01:3930 0 EOF", false), ("1: POSIX  ADVISORY  WRITE 812 08:01:393 0 EOF", false),
        ("1: -> FLOCK  ADVISORY  WRITE 812 08:01:393 0 EOF", false), ("", false), ("1: FLOCK", false),
    ])
    func holderOfALockIsFoundInTheSystemsTable(line: String, isHeld: Bool) {
        #expect(AgentLock.holds(812, inode: 393, locks: "7: POSIX  ADVISORY  READ 1 00:1a:5 0 EOF\n" + line + "\n") == isHeld)
    }

    @Test @LoopActor func runnerIsWhoHoldsTheLock() async throws {
        let folder = TemporaryFolder()
        #expect(AgentLock.runner(in: folder.path) == nil)
        do {
            let lock = try AgentLock.take(in: folder.path)
            #expect(AgentLock.runner(in: folder.path) == getpid())
            withExtendedLifetime(lock) {}
        }
        // The lock file stays, without an owner. The lock may stay held for a moment, since a program that another test is just starting
        // inherits all open files.
        try await waitUntil { AgentLock.runner(in: folder.path) == nil }
    }
}
