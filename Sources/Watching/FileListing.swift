public import Glibc
public import Model

/// The files of interest below a folder, with their stamps. Links are not followed, and nothing is opened but folders.
public struct FileListing: Hashable, Sendable {
    /// A file that was found.
    public struct Entry: Hashable, Sendable {
        public let path: String
        public let stamp: FileStamp

        /// Describes a file.
        public init(path: String, stamp: FileStamp) {
            self.path = path
            self.stamp = stamp
        }
    }

    /// In the order of their paths' bytes. A list, since two files whose names differ in their Unicode form only are equal texts.
    public var files: [Entry] = []
    /// Folders that could not be read: what was in them is not known to be gone.
    public var unread: [String] = []
    /// Whether the folder itself is there.
    public var isThere = true

    /// Lists what is below `root`, as far as the names are admitted. A name that is no UTF-8 is none.
    public init(below root: String, folder: (Substring) -> Bool, file: (Substring) -> Bool) {
        var waiting = [root]
        while let path = waiting.popLast() {
            guard let directory = opendir(path) else {
                if path == root, errno == ENOENT || errno == ENOTDIR { isThere = false } else { unread.append(path) }
                continue
            }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                guard let name = Self.name(of: entry), name != ".", name != ".." else { continue }
                let kind = Int(entry.pointee.d_type)
                if kind == DT_DIR {
                    if folder(name[...]) { waiting.append(path + "/" + name) }
                } else if kind == DT_REG || kind == DT_UNKNOWN {
                    visit(name, in: path, dirfd(directory), isFolderAdmitted: folder, isFileAdmitted: file, &waiting)
                }
            }
        }
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        unread.sort()
    }

    private mutating func visit(
        _ name: String, in path: String, _ directory: Int32, isFolderAdmitted: (Substring) -> Bool,
        isFileAdmitted: (Substring) -> Bool, _ waiting: inout [String]
    ) {
        guard isFileAdmitted(name[...]) || isFolderAdmitted(name[...]) else { return }
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG where isFileAdmitted(name[...]):
            files.append(Entry(path: path + "/" + name, stamp: FileStamp(status)))
        // Some file systems do not tell folders in the listing.
        case S_IFDIR where isFolderAdmitted(name[...]): waiting.append(path + "/" + name)
        default: break
        }
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
    }
}

extension FileStamp {
    /// The stamp of a file that was looked at.
    public init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
