import CShims
public import Glibc

/// Folders: created, listed, and as parts of paths.
public enum Folder {
    /// Creates a folder with all its parents; it is fine if it exists.
    public static func create(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
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

    /// A path without links and dots, as far as it exists: however it is reached, a folder has one such name.
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

    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension Folder {
    /// The kind of thing that a folder has under a name, as far as the folder itself shows it.
    public enum Kind: Sendable {
        case file
        case folder
        case link
        /// A pipe, a socket, a device.
        case other
        /// The file system does not give the kind.
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

    /// One name in a folder; valid only during the visit.
    public struct Entry: ~Copyable {
        /// The open folder, for calls relative to it.
        public let folder: Int32
        /// The name for such calls.
        public let name: UnsafePointer<CChar>
        /// The name's bytes, without the zero at its end.
        public let bytes: UnsafeRawBufferPointer
        public let kind: Kind

        /// The status of the file, or of the link itself if it is one; `nil` if it is gone.
        public func status() -> stat? {
            var status = stat()
            return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
        }

        /// The name as text; invalid bytes are replaced.
        public var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Whether it is a file, not a link to one, that belongs to the user of this process.
        public var isOwnFile: Bool {
            guard kind == .file || kind == .unknown, let status = status() else { return false }
            return status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        }

        /// Opens it if it is a folder, not a link to one, that belongs to the user of this process.
        public func openOwnFolder() -> Descriptor? {
            let number = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { return nil }
            let opened = Descriptor(owning: number)
            var status = stat()
            guard fstat(number, &status) == 0, status.st_uid == geteuid() else { return nil }
            return opened
        }
    }

    /// Calls `body` for everything in a folder, in no particular order, without "." and ".."; reads nothing but the folder.
    ///
    /// A path that is a link is refused with `ENOTDIR` unless links are followed. Stops soon after the first `most` names: a folder that
    /// others can fill must not cost more.
    public static func visit(
        _ path: String, followingLinks: Bool = true, most: Int = .max, _ body: (borrowing Entry) -> Void
    ) throws(SystemError) {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard number >= 0 else { throw SystemError("list", path: path, code: errno == ELOOP && !followingLinks ? ENOTDIR : errno) }
        let folder = Descriptor(owning: number)
        try visit(opened: folder.number, path: path, most: most, body)
    }

    /// Calls `body` for everything in a folder that is already open. The folder stays open, but can be visited only once.
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
        // The memory of an entry may be shorter than its type, so it is not read as a whole.
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
    /// The size of the disk that a folder is on, and how much of it we may still use, both in bytes.
    ///
    /// A folder that does not exist yet counts as being where its parent is.
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

    /// Whether a folder's disk has room for `bytes` more, found out by reserving them for a moment: no figure shows a quota.
    public static func hasRoom(for bytes: Int, in folder: String) -> Bool {
        guard let file = try? TemporaryFile.create(inFolderOf: folder + "/file") else { return false }
        return posix_fallocate(file.descriptor, 0, bytes) == 0
    }

    /// Some network file systems claim more than can be counted.
    private static func bytes(_ blocks: UInt, _ unit: UInt) -> Int {
        let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: unit)
        return isTooLarge ? Int.max : Int(clamping: product)
    }
}

/// Tells a file or folder from another one that has taken its name.
///
/// It says nothing about content: a `FileStamp` does.
public struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// From the system's status.
    public init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// Whatever is at `path`, through links; `nil` if nothing is.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The folder at `path`, through links; `nil` if there is none.
    public init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }
}
