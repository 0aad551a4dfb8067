import Glibc
import Platform
import TestSupport
import Testing

/// A disk in memory, mounted where only the programs that it starts see it.
@LoopActor
final class SmallDisk {
    /// Whether this machine lets us mount such a disk.
    nonisolated static let canMount: Bool = {
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

    /// The process that keeps the disk while programs come and go.
    private let holder: Program
    /// The disk's path for a process outside.
    let path: String

    private init(_ holder: Program, path: String) {
        self.holder = holder
        self.path = path
    }

    /// Mounts a disk on a folder, with these options of tmpfs.
    static func mount(on folder: String, _ options: String) async throws -> SmallDisk {
        let holder = try Program(
            "/usr/bin/unshare",
            ["-Urm", "/bin/sh", "-c", "mount -t tmpfs -o \(options) tmpfs \"$1\" && echo ready >&2 && exec sleep 600", "sh", folder])
        try await waitUntil { try holder.messagesSoFar().contains("ready") }
        return SmallDisk(holder, path: "/proc/\(holder.child.pid)/root" + folder)
    }

    /// Starts one of our programs so that it sees the disk.
    func start(_ name: String, _ arguments: [String], environment: [String]) throws -> Program {
        try start(program: Program.folder + "/" + name, arguments, environment: environment)
    }

    /// Starts any program so that it sees the disk.
    func start(program path: String, _ arguments: [String], environment: [String]) throws -> Program {
        try Program(
            "/usr/bin/nsenter", ["-t", "\(holder.child.pid)", "-U", "-m", "--preserve-credentials", path] + arguments,
            environment: environment)
    }

    func unmount() { holder.child.kill(SIGKILL) }
}
