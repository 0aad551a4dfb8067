public import Glibc

/// Shows whether a file is still the one that was read, without reading it again.
public struct FileStamp: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var size: Int
    /// When it was last written to, in nanoseconds since 1970.
    public var modified: Int64
    /// When anything about it was last changed, in nanoseconds since 1970. Nobody can set it, so it reveals a file that was written
    /// to and then given its former time and size.
    public var changed: Int64

    /// Takes what the file system says of a file.
    public init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64 = 0) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// The stamp of a file from its status. The arithmetic must not overflow: the times may be anything.
    public init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim))
    }

    /// The stamp as far as what the file contains is concerned: for a file that gets other names or rights while it is in use.
    public var ofContent: FileStamp { FileStamp(device: device, inode: inode, size: size, modified: modified) }

    private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
}
