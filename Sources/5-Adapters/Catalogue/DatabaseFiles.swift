import Glibc
import Model

/// A database's file and the two next to it, as they were at one time.
struct DatabaseFiles {
    private let file: FileStamp?
    private var log: FileStamp?
    /// Where all processes that have the database open find what is in the log. A process that finds another index knows nothing of them.
    private let index: FileStamp?

    init(of path: String) {
        file = Self.stamp(path)
        log = Self.stamp(path + Self.logEnding)
        index = Self.stamp(path + "-shm")
    }

    private static let logEnding = "-wal"

    /// Whether `other`, taken later, shows the same files, with the first one untouched. The log is written to all the time; it
    /// only has to be the same file, and so does the index.
    func isUntouched(in other: DatabaseFiles) -> Bool { file == other.file && isSameLog(as: other) && isSameIndex(as: other) }

    /// Whether `other`, taken later, shows the same log. A log never gets shorter while it is in use.
    func isSameLog(as other: DatabaseFiles) -> Bool {
        log.map { $0.isSameFile(as: other.log) && $0.size <= other.log?.size ?? 0 } ?? true
    }

    func isSameIndex(as other: DatabaseFiles) -> Bool { index.map { $0.isSameFile(as: other.index) } ?? true }

    func isSameFile(as other: DatabaseFiles) -> Bool { file.map { $0.isSameFile(as: other.file) } ?? (other.file == nil) }

    /// Notes how long the log at `path` is by now.
    mutating func followLog(of path: String) {
        guard let present = Self.stamp(path + Self.logEnding), present.isSameFile(as: log) else { return }
        log = present
    }

    /// Whether the file at `path` is empty or missing.
    static func isEmpty(_ path: String) -> Bool { (stamp(path)?.size ?? 0) == 0 }

    /// Whether the database's file is empty or missing while its log is not: SQLite would take that log for void and remove it,
    /// but it may hold everything.
    static func isOnlyLog(_ path: String) -> Bool { isEmpty(path) && !isEmpty(path + logEnding) }

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
