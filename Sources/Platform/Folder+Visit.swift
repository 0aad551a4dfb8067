public import Glibc

extension Folder {
    /// What a folder holds under a name, as far as the folder itself tells.
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

    /// One name in a folder; good during the visit only.
    public struct Entry: ~Copyable {
        /// The open folder, for calls relative to it.
        public let folder: Int32
        /// The name for such calls.
        public let name: UnsafePointer<CChar>
        /// The name's bytes, without the zero at its end.
        public let bytes: UnsafeRawBufferPointer
        public let kind: Kind

        /// What a call about a link would say of the link itself; `nil` when it is not there any more.
        public func status() -> stat? {
            var status = stat()
            return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
        }
    }

    /// Shows `body` what is in a folder, in no order, without "." and ".."; nothing is read but the folder.
    ///
    /// A folder that is reached by a link is refused with `ENOTDIR` unless links are followed.
    public static func visit(_ path: String, followingLinks: Bool = true, _ body: (borrowing Entry) -> Void) throws(SystemError) {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard number >= 0 else { throw SystemError("list", path: path, code: errno == ELOOP && !followingLinks ? ENOTDIR : errno) }
        guard let directory = fdopendir(number) else {
            close(number)
            throw SystemError("list", path: path)
        }
        defer { closedir(directory) }
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw SystemError("list", path: path) }
                return
            }
            // The entry's memory may be shorter than its type, so it is not read as a whole.
            let start = UnsafeRawPointer(entry) + nameOffset
            let name = start.assumingMemoryBound(to: CChar.self)
            let bytes = UnsafeRawBufferPointer(start: start, count: strlen(name))
            if bytes.elementsEqual([UInt8(ascii: ".")]) || bytes.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) { continue }
            body(Entry(folder: number, name: name, bytes: bytes, kind: Kind(entry.pointee.d_type)))
        }
    }

    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
}
