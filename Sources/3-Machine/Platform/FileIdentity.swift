public import Glibc

/// Tells a file or folder from another one that has taken its name.
///
/// It says nothing about content: a `FileStamp` does.
public struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// From what the system says of it.
    public init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// What lies at `path`, through links; `nil` if there is nothing.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The folder at `path`, through links; `nil` if there is none.
    public init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }
}
