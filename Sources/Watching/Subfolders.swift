import Glibc

/// The folders in a folder, without a look at every file.
enum Subfolders {
    /// Their names, in no order; links are none. A folder that cannot be read has none.
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let kind = Int(entry.pointee.d_type)
            guard kind == DT_DIR || kind == DT_UNKNOWN else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            guard let name, name != ".", name != ".." else { continue }
            if kind == DT_DIR || isFolder(path + "/" + name) { names.append(name) }
        }
        return names
    }

    /// Some file systems do not say it in the listing.
    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
