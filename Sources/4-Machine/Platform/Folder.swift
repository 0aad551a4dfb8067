import CShims
public import Glibc

/// Functions that create and list folders, and find them in paths.
public enum Folder {
    /// Creates a folder and its missing parents. Succeeds if the folder exists.
    public static func create(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        if errno == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw SystemError("create folder", path: path, code: target(ofLink: path) == nil ? ENOTDIR : ENOENT)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError("create folder", path: path, code: ENOTDIR) }
            return
        }
        guard errno == ENOENT, parent(of: path) != path else { throw SystemError("create folder", path: path) }
        try create(parent(of: path), mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError("create folder", path: path) }
    }

    /// The path without links and dots, resolved as far as it exists: every folder has exactly one such path.
    public static func real(_ path: String) -> String {
        var (head, tail) = (path, "")
        while true {
            if let real = realpath(head, nil) {
                defer { free(real) }
                let found = String(cString: real)
                return found == "/" && !tail.isEmpty ? tail : found + tail
            }
            let parent = parent(of: head)
            guard parent != head else { return path }
            tail = "/" + (head.split(separator: "/").last.map { String($0) } ?? "") + tail
            head = parent
        }
    }

    /// The sorted names in a folder, without "." and "..".
    public static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw SystemError("list", path: path) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // A null pointer with `errno` still zero means the end; otherwise it means a failure.
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

    /// Whether a folder is on a read-only file system; if it does not exist, whether its nearest parent is.
    public static func isOnReadOnlyDisk(_ folder: String) -> Bool {
        var folder = folder
        while access(folder, F_OK) != 0, errno == ENOENT, folder != "/" { folder = parent(of: folder) }
        return access(folder, W_OK) != 0 && errno == EROFS
    }

    /// The sorted names in a folder, without "." and ".."; empty if there is no such folder.
    public static func namesIfThere(in path: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try names(in: path)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return []
        }
    }

    /// Waits until the names in a folder are on the disk.
    public static func sync(_ path: String) throws(SystemError) {
        try Descriptor.open(path, O_RDONLY | O_DIRECTORY).sync(path)
    }

    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension Folder {
    /// The kind of an entry, as given by the folder without reading the entry.
    public enum Kind: Sendable {
        case file
        case folder
        case link
        /// A pipe, a socket, a device.
        case other
        /// The file system does not provide the kind.
        case unknown

        init(_ type: UInt8) {
            switch Int(type) {
            case Int(DT_REG): self = .file
            case Int(DT_DIR): self = .folder
            case Int(DT_LNK): self = .link
            case Int(DT_UNKNOWN): self = .unknown
            default: self = .other
            }
        }
    }

    /// An entry of a folder; valid only during the visit.
    public struct Entry: ~Copyable {
        /// The open folder, for system calls with names relative to it.
        public let folder: Int32
        /// The zero-terminated name, for system calls relative to the folder.
        public let name: UnsafePointer<CChar>
        /// The name's bytes, without the zero at its end.
        public let bytes: UnsafeRawBufferPointer
        public let kind: Kind

        /// The status of the entry; a link is not followed. `nil` if the entry is gone.
        public func status() -> stat? {
            var status = stat()
            return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
        }

        /// The name as text; invalid bytes are replaced.
        public var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Whether the entry is a regular file, not a link, that belongs to this process's user.
        public var isOwnFile: Bool {
            guard kind == .file || kind == .unknown, let status = status() else { return false }
            return status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        }

        /// Opens the entry; `nil` unless it is a folder, not a link, that belongs to this process's user.
        public func openOwnFolder() -> Descriptor? {
            let number = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { return nil }
            let opened = Descriptor(owning: number)
            var status = stat()
            guard fstat(number, &status) == 0, status.st_uid == geteuid() else { return nil }
            return opened
        }
    }

    /// Calls `body` for each entry of a folder, in no particular order, without "." and ".."; touches nothing but the folder.
    ///
    /// Throws `ENOTDIR` for a link unless links are followed. Stops soon after `most` entries, which limits the cost of a folder
    /// that others can fill.
    public static func visit(
        _ path: String, followingLinks: Bool = true, most: Int = .max, _ body: (borrowing Entry) -> Void
    ) throws(SystemError) {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard number >= 0 else { throw SystemError("list", path: path, code: errno == ELOOP && !followingLinks ? ENOTDIR : errno) }
        let folder = Descriptor(owning: number)
        try visit(opened: folder.number, path: path, most: most, body)
    }

    /// Calls `body` for each entry of an open folder, which stays open. After a complete visit, another visit of the same
    /// descriptor finds nothing.
    public static func visit(
        opened number: Int32, path: String, most: Int = .max, _ body: (borrowing Entry) -> Void
    ) throws(SystemError) {
        let code = withUnsafeTemporaryAllocation(byteCount: 32768, alignment: MemoryLayout<dirent>.alignment) { entries -> Int32 in
            var visited = 0
            while visited < most {
                let count = woodshed_list_folder(number, entries.baseAddress, entries.count)
                guard count > 0 else { return count < 0 ? errno : 0 }
                var entry = UnsafeRawPointer(entries.baseAddress!)
                let end = entry + count
                while entry < end {
                    visit(entry, in: number, body)
                    visited += 1
                    entry += Int(entry.loadUnaligned(fromByteOffset: lengthOffset, as: UInt16.self))
                }
            }
            return 0
        }
        guard code == 0 else { throw SystemError("list", path: path, code: code) }
    }

    private static func visit(_ entry: UnsafeRawPointer, in folder: Int32, _ body: (borrowing Entry) -> Void) {
        // The memory of an entry may be shorter than its type, so read only its fields.
        let start = entry + nameOffset
        let name = start.assumingMemoryBound(to: CChar.self)
        let bytes = UnsafeRawBufferPointer(start: start, count: strlen(name))
        if bytes[0] == UInt8(ascii: "."), bytes.count == 1 || bytes.count == 2 && bytes[1] == UInt8(ascii: ".") { return }
        body(Entry(folder: folder, name: name, bytes: bytes, kind: Kind(entry.load(fromByteOffset: kindOffset, as: UInt8.self))))
    }

    private static let lengthOffset = MemoryLayout<dirent>.offset(of: \.d_reclen)!
    private static let kindOffset = MemoryLayout<dirent>.offset(of: \.d_type)!
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
}

extension Folder {
    /// The size of the file system that a folder is on, and how much of it this user may still use, both in bytes.
    ///
    /// For a folder that does not exist yet, its nearest existing parent is measured.
    public static func space(of path: String) throws(SystemError) -> (total: Int, free: Int) {
        var path = path
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, parent(of: path) != path else { throw SystemError("check the disk of", path: path) }
            path = parent(of: path)
        }
        let unit = status.f_frsize
        return (Self.bytes(status.f_blocks, unit), Self.bytes(status.f_bavail, unit))
    }

    /// Whether a folder has room for `bytes` more bytes. Reserves them for a moment to find out, since the free space that a file system
    /// reports may be more than the user's quota allows.
    public static func hasRoom(for bytes: Int, in folder: String) -> Bool {
        guard let file = try? TemporaryFile.create(inFolderOf: folder + "/file") else { return false }
        return posix_fallocate(file.descriptor, 0, bytes) == 0
    }

    /// The size in bytes, limited to what an integer can hold, since some network file systems report absurd sizes.
    private static func bytes(_ blocks: UInt, _ unit: UInt) -> Int {
        let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: unit)
        return isTooLarge ? Int.max : Int(clamping: product)
    }
}

/// Identifies a file or folder, to detect that another file or folder has taken its name.
///
/// A `FileIdentity` does not reveal changed content; a `FileStamp` does.
public struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    public init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// The file or folder at `path`, with links followed; `nil` if there is none.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The folder at `path`, with links followed; `nil` if there is none.
    public init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }
}
