import Glibc

/// A folder in which nothing can be made or removed for a while, even by root, as on a disk that the kernel remounted read-only.
enum LockedFolder {
    // These numbers are from linux/fs.h, for 64-bit machines.
    private static let getFlags: UInt = 0x8008_6601
    private static let setFlags: UInt = 0x4008_6602
    private static let immutable: CLong = 0x10

    /// Locks or unlocks the folder; returns `false` if this file system, or the test's user, cannot.
    @discardableResult
    static func set(_ isLocked: Bool, _ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var flags: CLong = 0
        guard ioctl(file, getFlags, &flags) == 0 else { return false }
        flags = isLocked ? flags | immutable : flags & ~immutable
        return ioctl(file, setFlags, &flags) == 0
    }
}
