/// The disk that a folder is on.
public struct DiskSpace: Hashable, Sendable {
    public var total: ByteCount
    /// How much of it we may still use.
    public var free: ByteCount

    /// Describes a disk.
    public init(total: ByteCount, free: ByteCount) {
        self.total = total
        self.free = free
    }
}
