import Glibc
import Platform

/// A folder that is held open, for looking at what is in it, until nobody needs it any more.
final class OpenFolder: Sendable {
    let number: Int32

    /// Opens a folder; `nil` if that fails, with the reason in `errno`.
    init?(_ path: String, followingLinks: Bool) {
        number = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard number >= 0 else { return nil }
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// The disk that it lies on.
    var device: UInt64? {
        var status = stat()
        return fstat(number, &status) == 0 ? UInt64(status.st_dev) : nil
    }
}
