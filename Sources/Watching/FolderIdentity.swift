import Glibc

/// Identifies the folder that a path leads to, so that another one mounted or moved there is noticed.
struct FolderIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// The identity of the folder at `path`; `nil` if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path.isEmpty ? "/" : path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
