import Glibc

/// An empty folder that goes, with all that is in it, when the test lets go of it.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Makes the folder; one `inMemory` where the machine has a place for that, so that a catalogue waits for no disk.
    public init(inMemory: Bool = false) {
        let place = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/woodshed-test-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            fatalError("cannot make a temporary folder")
        }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        Self.remove(path)
    }

    /// The path of something inside.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Removes all that is in a folder; the folder stays.
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

    private static func remove(_ path: String) {
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
