import Glibc

/// Tells a socket in the file system from another one that took its place.
struct SocketIdentity: Hashable {
    private let device: UInt
    private let number: UInt
    private let seconds: Int
    private let nanoseconds: Int

    /// `nil` if there is no socket.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        // An inode number may be reused. A socket has no content, so this is the time when it was made.
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}
