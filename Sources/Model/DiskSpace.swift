/// The disk that a folder lies on.
public struct DiskSpace: Hashable, Sendable {
    public var total: ByteCount
    /// What we may still take of it.
    public var free: ByteCount

    /// Describes a disk.
    public init(total: ByteCount, free: ByteCount) {
        self.total = total
        self.free = free
    }
}
