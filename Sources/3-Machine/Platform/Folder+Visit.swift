import CShims
public import Glibc

extension Folder {
    /// The kind of thing that a folder holds under a name, as far as the folder itself tells.
    public enum Kind: Sendable {
        case file
        case folder
        case link
        /// A pipe, a socket, a device.
        case other
        /// The file system does not say.
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
    }

    /// Calls `body` for everything in a folder, in no particular order, without "." and ".."; reads nothing but the folder.
    ///
    /// A path that is a link is refused with `ENOTDIR` unless links are followed.
    public static func visit(_ path: String, followingLinks: Bool = true, _ body: (borrowing Entry) -> Void) throws(SystemError) {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard number >= 0 else { throw SystemError("list", path: path, code: errno == ELOOP && !followingLinks ? ENOTDIR : errno) }
        let folder = Descriptor(owning: number)
        try visit(opened: folder.number, path: path, body)
    }

    /// Calls `body` for everything in a folder that is already open. The folder stays open, but can be visited only once.
    public static func visit(opened number: Int32, path: String, _ body: (borrowing Entry) -> Void) throws(SystemError) {
        let code = withUnsafeTemporaryAllocation(byteCount: 32768, alignment: MemoryLayout<dirent>.alignment) { entries -> Int32 in
            while true {
                let count = woodshed_list_folder(number, entries.baseAddress, entries.count)
                guard count > 0 else { return count < 0 ? errno : 0 }
                var entry = UnsafeRawPointer(entries.baseAddress!)
                let end = entry + count
                while entry < end {
                    visit(entry, in: number, body)
                    entry += Int(entry.loadUnaligned(fromByteOffset: lengthOffset, as: UInt16.self))
                }
            }
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
