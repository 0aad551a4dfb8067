import Glibc
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
        var waiting = [Item.folder(root)]
        while let item = waiting.popLast() {
            switch item {
            case .file(let entry): files.append(entry)
            case .folder(let path):
                guard let items = Self.items(in: path, isFolderAdmitted: folder, isFileAdmitted: file) else {
                    if path == root, errno == ENOENT || errno == ENOTDIR { isThere = false } else { unread.append(path) }
                    continue
                }
                waiting += items.reversed()
            }
        }
        unread.sort { $0.precedesByBytes($1) }
    }

    private enum Item {
        case folder(String)
        case file(Entry)

        /// What the paths of its files begin with: one folder after the other in this order is the order of all paths.
        var key: String {
            switch self {
            case .folder(let path): path + "/"
            case .file(let entry): entry.path
            }
        }
    }

    /// What is in a folder, in order; `nil` if it cannot be read, for the reason in `errno`.
    private static func items(in path: String, isFolderAdmitted: (Substring) -> Bool, isFileAdmitted: (Substring) -> Bool) -> [Item]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var items: [(key: String, item: Item)] = []
        while let entry = readdir(directory) {
            guard let name = Self.name(of: entry), name != ".", name != ".." else { continue }
            let kind = Int(entry.pointee.d_type)
            // Some file systems do not tell folders in the listing.
            let (mayBeFolder, mayBeFile) = (kind == DT_DIR || kind == DT_UNKNOWN, kind == DT_REG || kind == DT_UNKNOWN)
            guard mayBeFolder && isFolderAdmitted(name[...]) || mayBeFile && isFileAdmitted(name[...]) else { continue }
            let item: Item
            if kind == DT_DIR {
                item = .folder(path + "/" + name)
            } else {
                var status = stat()
                guard fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFREG where kind == DT_REG || isFileAdmitted(name[...]):
                    item = .file(Entry(path: path + "/" + name, stamp: FileStamp(status)))
                case S_IFDIR where isFolderAdmitted(name[...]): item = .folder(path + "/" + name)
                default: continue
                }
            }
            items.append((item.key, item))
        }
        return items.sorted { $0.key.precedesByBytes($1.key) }.map(\.item)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
    }
}
