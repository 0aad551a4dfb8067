import Glibc
import Model

/// A database's file and the log beside it, as they were at one time.
struct DatabaseFiles: Equatable {
    private let file: FileStamp?
    private let log: FileStamp?

    init(of path: String) {
        file = Self.stamp(path)
        log = Self.stamp(path + "-wal")
    }

    /// The log is written to all the time; it only has to be the same one.
    static func == (left: Self, right: Self) -> Bool {
        left.file == right.file && left.isSameLog(as: right)
    }

    func isSameLog(as other: DatabaseFiles) -> Bool { log.map { $0.isSameFile(as: other.log) } ?? true }

    func isSameFile(as other: DatabaseFiles) -> Bool { file.map { $0.isSameFile(as: other.file) } ?? (other.file == nil) }

    /// Whether there is nothing in the file at `path`.
    static func isEmpty(_ path: String) -> Bool { (stamp(path)?.size ?? 0) == 0 }

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
