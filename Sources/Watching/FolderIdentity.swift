import Glibc

/// Which folder a path leads to, whatever is mounted or moved there.
struct FolderIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// That of the folder at `path`; `nil` when there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path.isEmpty ? "/" : path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
