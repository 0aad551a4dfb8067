import CShims
import Glibc

extension Folder {
    /// The mount point of the file system that a folder is on.
    public static func mountPoint(of path: String) -> String {
        func device(_ path: String) -> dev_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_dev : nil
        }
        var path = path
        while path != "/", path != ".", device(parent(of: path)) == device(path) { path = parent(of: path) }
        return path
    }

    /// Opens a new unnamed file in a folder; -1 if the file system does not support that.
    static func openUnnamedFile(in folder: String, mode: UInt32) -> Int32 { woodshed_unnamed_file(folder, mode) }

    /// Sends a folder's file system a request that only its server can answer; returns after any answer.
    static func ask(_ path: String) {
        var (space, status) = (statvfs(), stat())
        _ = statvfs(path, &space)
        _ = stat(path, &status)
    }
}
