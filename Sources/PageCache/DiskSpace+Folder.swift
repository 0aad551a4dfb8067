public import Model
public import Platform

extension DiskSpace {
    /// The disk that a folder lies on, or will when it is made.
    public static func of(_ folder: String) throws(SystemError) -> DiskSpace {
        let (total, free) = try Folder.space(of: folder)
        return DiskSpace(total: ByteCount(total), free: ByteCount(free))
    }
}
