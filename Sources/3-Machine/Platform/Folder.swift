public import Glibc

/// Folders: created, listed, and as parts of paths.
public enum Folder {
    /// Creates a folder with all its parents; it is fine if it exists.
    public static func create(_ path: String, mode: mode_t = 0o700) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        if errno == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw SystemError("create folder", path: path, code: ENOTDIR)
            }
            return
        }
        guard errno == ENOENT, parent(of: path) != path else { throw SystemError("create folder", path: path) }
        try create(parent(of: path), mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError("create folder", path: path) }
    }

    /// The names in a folder, sorted, without "." and "..".
    public static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw SystemError("list", path: path) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // Only this tells the end from a failure.
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemError("list", path: path) }
        return names.sorted()
    }

    /// Whether a folder is on a disk that cannot be written to, or would be if it existed.
    public static func isOnReadOnlyDisk(_ folder: String) -> Bool {
        var folder = folder
        while access(folder, F_OK) != 0, errno == ENOENT, folder != "/" { folder = parent(of: folder) }
        return access(folder, W_OK) != 0 && errno == EROFS
    }

    /// The names in a folder, as above; empty if there is no such folder.
    public static func namesIfThere(in path: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try names(in: path)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return []
        }
    }

    /// Makes sure that the names in a folder are on the disk.
    public static func sync(_ path: String) throws(SystemError) {
        try Descriptor.open(path, O_RDONLY | O_DIRECTORY).sync(path)
    }

    /// The folder that a path is in.
    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
