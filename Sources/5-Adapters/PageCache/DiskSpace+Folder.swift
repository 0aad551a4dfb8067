public import Model
public import Platform

extension DiskSpace {
    /// The disk that a folder lies on, or will lie on once it is made.
    public static func of(_ folder: String) throws(SystemError) -> DiskSpace {
        let (total, free) = try Folder.space(of: folder)
        // A disk that does not report its size, as with some file systems that are run by programs, sets no limit. Sums of these values
        // do not overflow.
        guard total > 0 else { return DiskSpace(total: ByteCount(.max / 4), free: ByteCount(.max / 4)) }
        return DiskSpace(total: ByteCount(min(total, .max / 4)), free: ByteCount(min(free, .max / 4)))
    }
}
