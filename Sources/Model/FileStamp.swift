/// Tells whether a file is the one that was read, without reading it again.
public struct FileStamp: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var size: Int
    /// When it was last written to, in nanoseconds since 1970.
    public var modified: Int64

    /// Takes what the file system says of a file.
    public init(device: UInt64, inode: UInt64, size: Int, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}
