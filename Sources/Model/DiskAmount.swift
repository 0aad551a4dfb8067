/// An amount of a disk, as people set it: so many bytes, or so much of the whole.
public enum DiskAmount: Hashable, Sendable {
    case bytes(ByteCount)
    /// In hundredths of the whole disk.
    case percent(Int)

    /// How much that is of this disk.
    public func bytes(of disk: DiskSpace) -> ByteCount {
        switch self {
        case .bytes(let bytes): bytes
        // Divided first: disks are large, and nobody counts on the last hundred bytes.
        case .percent(let percent): ByteCount(disk.total.bytes / 100 * percent)
        }
    }
}
