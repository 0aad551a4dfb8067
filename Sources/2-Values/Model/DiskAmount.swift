/// An amount of disk space, as people set it: a number of bytes, or a percentage of the whole disk.
public enum DiskAmount: Hashable, Sendable {
    case bytes(ByteCount)
    /// In hundredths of the whole disk.
    case percent(Int)

    /// How much that is of this disk.
    public func bytes(of disk: DiskSpace) -> ByteCount {
        switch self {
        case .bytes(let bytes): bytes
        // Divided first to avoid overflow: disks are large, and nobody minds the last hundred bytes.
        case .percent(let percent): ByteCount(disk.total.bytes / 100 * percent)
        }
    }
}
