import Glibc
import Model

/// A database's file and the two beside it, as they were at one time.
package struct DatabaseFiles {
    private let file: FileStamp?
    private var log: FileStamp?
    /// Where everybody who has it open finds what is in the log. Who finds another one there knows nothing of them.
    private let index: FileStamp?

    package init(of path: String) {
        file = Self.stamp(path)
        log = Self.stamp(path + Self.logEnding)
        index = Self.stamp(path + "-shm")
    }

    private static let logEnding = "-wal"

    /// Whether `other`, which is of later, are the same files and nobody touched the first. The log is written to all the time; it
    /// only has to be the same one, and the index likewise.
    package func isUntouched(in other: DatabaseFiles) -> Bool { file == other.file && isSameLog(as: other) && isSameIndex(as: other) }

    /// Whether `other`, which is of later, is the same log. While it is in use none becomes shorter.
    package func isSameLog(as other: DatabaseFiles) -> Bool {
        log.map { $0.isSameFile(as: other.log) && $0.size <= other.log?.size ?? 0 } ?? true
    }

    package func isSameIndex(as other: DatabaseFiles) -> Bool { index.map { $0.isSameFile(as: other.index) } ?? true }

    package func isSameFile(as other: DatabaseFiles) -> Bool { file.map { $0.isSameFile(as: other.file) } ?? (other.file == nil) }

    /// Takes note of how long the log at `path` is by now.
    package mutating func followLog(of path: String) {
        guard let present = Self.stamp(path + Self.logEnding), present.isSameFile(as: log) else { return }
        log = present
    }

    /// Whether there is nothing in the file at `path`.
    package static func isEmpty(_ path: String) -> Bool { (stamp(path)?.size ?? 0) == 0 }

    /// Whether there is nothing in the database's file, or none, but something in its log: SQLite takes that for void and removes it,
    /// and it may have everything.
    package static func isOnlyLog(_ path: String) -> Bool { isEmpty(path) && !isEmpty(path + logEnding) }

    private static func stamp(_ path: String) -> FileStamp? {
        var status = stat()
        return stat(path, &status) == 0 ? FileStamp(status) : nil
    }
}

extension FileStamp {
    fileprivate func isSameFile(as other: FileStamp?) -> Bool {
        other.map { (device, inode) == ($0.device, $0.inode) } ?? false
    }
}
