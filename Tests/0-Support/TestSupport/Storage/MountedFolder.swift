import Glibc
public import Platform
public import Testing

/// A folder that a program mounts from another folder, as sshfs and rclone do. The mount does not respond while the program is stopped.
@LoopActor
public final class MountedFolder {
    public nonisolated let path: String
    private let mount: Program
    private let place = TemporaryFolder()

    /// Why folders cannot be mounted here; nil if they can.
    public nonisolated static var lack: Comment? {
        if !StorageServer.Kind.rcloneWebDAV.isInstalled { return StorageServer.Kind.rcloneWebDAV.isMissing }
        if access("/usr/bin/fusermount3", X_OK) != 0 { return "nothing can be mounted: apt-get install fuse3" }
        if geteuid() == 0, !mayMount { return "nothing can be mounted: this container does not let root mount anything" }
        return access("/dev/fuse", R_OK | W_OK) == 0 ? nil : "nothing can be mounted: /dev/fuse is not there, or not for this user"
    }

    /// Whether this process has CAP_SYS_ADMIN.
    private nonisolated static var mayMount: Bool {
        let status = (try? AtomicFile.read("/proc/self/status", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }) else { return false }
        return UInt64(line.dropFirst("CapEff:".count).trimmingBlanks, radix: 16).map { $0 & 1 << 21 != 0 } ?? false
    }

    public init() async throws {
        let (source, path) = (place.path("source"), place.path("mount"))
        self.path = path
        for folder in [source, path] { try Folder.create(folder) }
        mount = try Program(
            StorageServer.Kind.rcloneWebDAV.program,
            [
                "mount", source, path, "--vfs-cache-mode", "writes", "--vfs-write-back", "0s", "--dir-cache-time", "1s", "--attr-timeout",
                "0s",
            ],
            environment: ["HOME=\(place.path)", "XDG_CACHE_HOME=\(place.path("cache"))"])
        AfterTest.end { [mount] in
            // A stopped program must continue before it can end. Its end releases the processes that wait for the folder.
            for signal in [SIGCONT, SIGTERM] { mount.child.kill(signal) }
            _ = try? await mount.result()
        }
        try await waitUntil { Folder.isOnNetwork(path) }
    }

    /// Makes the folder stop responding, until `go` is called.
    public func hold() { mount.child.kill(SIGSTOP) }
    public func go() { mount.child.kill(SIGCONT) }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where folders cannot be mounted.
    public static var whereFoldersCanBeMounted: Self { .enabled(if: MountedFolder.lack == nil, MountedFolder.lack ?? "") }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring { drop { $0.isWhitespace } }
}
