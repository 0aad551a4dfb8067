import Glibc

/// A new empty folder. It is removed with its contents when the test releases this object.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// The parent of all temporary folders: in memory if there is enough room, so that tests do not wait for a disk.
    private static let place: String = {
        let memory = "/dev/shm"
        var status = statvfs()
        // A small file system in memory, as in a container, is meant for other uses.
        let isLarge = statvfs(memory, &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) > 4 << 30
        let noexec: UInt = 8
        let runsPrograms = status.f_flag & noexec == 0
        return isLarge && runsPrograms && access(memory, W_OK) == 0 ? memory : "/tmp"
    }()

    public init() {
        var template = Array("\(Self.place)/woodshed-test-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            fatalError("cannot make a temporary folder")
        }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        Self.remove(path)
    }

    /// The path of a file inside.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Removes the contents of a folder, but not the folder itself.
    public static func empty(_ path: String) {
        for name in names(in: path) { remove(path + "/" + name) }
    }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    public static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            chmod(path, 0o700)
            empty(path)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
