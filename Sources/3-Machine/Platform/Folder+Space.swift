import Glibc

extension Folder {
    /// The size of the disk that a folder is on, and how much of it we may still use, both in bytes.
    ///
    /// A folder that does not exist yet counts as being where its parent is.
    public static func space(of path: String) throws(SystemError) -> (total: Int, free: Int) {
        var path = path
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, parent(of: path) != path else { throw SystemError("check the disk of", path: path) }
            path = parent(of: path)
        }
        let unit = status.f_frsize
        return (Self.bytes(status.f_blocks, unit), Self.bytes(status.f_bavail, unit))
    }

    /// Whether a folder's disk takes `bytes` more, found out by reserving them for a moment: a quota shows in no figure.
    public static func hasRoom(for bytes: Int, in folder: String) -> Bool {
        guard let file = try? TemporaryFile.create(inFolderOf: folder + "/file") else { return false }
        return posix_fallocate(file.descriptor, 0, bytes) == 0
    }

    /// Some network file systems claim more than can be counted.
    private static func bytes(_ blocks: UInt, _ unit: UInt) -> Int {
        let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: unit)
        return isTooLarge ? Int.max : Int(clamping: product)
    }
}
