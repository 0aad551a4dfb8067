import Glibc
import Model
import Platform

/// The files that a connection works on, and whether they are still the files at the connection's path.
///
/// This is checked before each write and checkpoint, so the cost must not grow with the file's size: the file is never read whole.
package final class FilesInUse {
    private unowned let database: Database
    private let path: String
    private var noted: DatabaseFiles
    /// The file's header when the files were noted. The header differs after each change of the catalogue's number.
    private var header: [UInt8]?
    /// Set once the connection has given up the files, whatever happens to them afterwards.
    private var areLeft = false

    /// Notes the files of `database` as they are now.
    init(of database: Database) {
        self.database = database
        path = database.path
        noted = DatabaseFiles(of: path)
        header = database.header
    }

    /// Notes the files again; must be called after the connection has written to them.
    func noteAgain() {
        noted = DatabaseFiles(of: path)
        header = database.header
    }

    /// Notes the log's new length; must be called after the connection has written to the log.
    func followLog() { noted.followLog(of: path) }

    /// Makes every further write fail.
    package func leave() { areLeft = true }

    /// `true` if the files at the path are the noted ones, with their contents, and were not given up by the connection.
    ///
    /// New permissions, another owner, another hard link or a new time change the file's stamp but not its contents; the header is
    /// compared only if the stamp has changed.
    package var areInPlace: Bool {
        guard !areLeft else { return false }
        let present = DatabaseFiles(of: path)
        if !noted.isUntouched(in: present) {
            guard noted.isSameFile(as: present), noted.isSameLog(as: present), noted.isSameIndex(as: present), holdsWhatWasNoted
            else { return false }
        }
        noted = present
        return true
    }

    /// `true` if the file at the path is the noted one, whatever happened to its contents.
    package var isSameFile: Bool { noted.isSameFile(as: DatabaseFiles(of: path)) }

    /// `true` if the log at the path is the noted one and still has all its noted contents.
    var isSameLog: Bool { noted.isSameLog(as: DatabaseFiles(of: path)) }

    /// `true` if the file at the path has the size and the header that the connection left, so that it may be the connection's file.
    var holdsWhatWasNoted: Bool {
        guard let header, noted.isOfSameSize(as: DatabaseFiles(of: path)) else { return false }
        return header == (isSameFile ? database.header : DatabaseFiles.header(of: path))
    }
}

/// A database's file, its log and its index, as they were at one time.
struct DatabaseFiles {
    private let file: FileStamp?
    private var log: FileStamp?
    /// All processes with an open connection use the index to find pages in the log. A process with another index misses the
    /// others' writes.
    private let index: FileStamp?

    init(of path: String) {
        file = Self.stamp(path)
        log = Self.stamp(path + Self.logEnding)
        index = Self.stamp(path + "-shm")
    }

    private static let logEnding = "-wal"

    /// Returns whether `other`, taken later, shows the same files, and the database's file untouched. The log and the index are
    /// written to all the time, so they only have to be the same files.
    func isUntouched(in other: DatabaseFiles) -> Bool { file == other.file && isSameLog(as: other) && isSameIndex(as: other) }

    /// Returns whether `other`, taken later, shows the same log. A log never gets shorter while in use.
    func isSameLog(as other: DatabaseFiles) -> Bool {
        log.map { $0.isSameFile(as: other.log) && $0.size <= other.log?.size ?? 0 } ?? true
    }

    func isSameIndex(as other: DatabaseFiles) -> Bool { index.map { $0.isSameFile(as: other.index) } ?? true }

    func isOfSameSize(as other: DatabaseFiles) -> Bool { file?.size == other.file?.size }

    func isSameFile(as other: DatabaseFiles) -> Bool { file.map { $0.isSameFile(as: other.file) } ?? (other.file == nil) }

    /// Notes the present length of the log at `path`.
    mutating func followLog(of path: String) {
        guard let present = Self.stamp(path + Self.logEnding), present.isSameFile(as: log) else { return }
        log = present
    }

    /// An SQLite file begins with a header of this size.
    static let headerSize = 100

    /// The header of the file at `path`. No connection in this process may have the file open, since closing the file here would
    /// drop the connection's locks.
    static func header(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: headerSize)
        return pread(file, &bytes, headerSize, 0) == headerSize ? bytes : nil
    }

    /// Returns whether the file at `path` is empty or missing.
    static func isEmpty(_ path: String) -> Bool { (stamp(path)?.size ?? 0) == 0 }

    /// Throws if a pipe, a socket or a device has the name of a database or of one of SQLite's extra files: SQLite would wait forever.
    static func refuseOthers(_ path: String) throws(LibraryError) {
        for ending in ["", logEnding, "-journal", "-shm"] {
            try LibraryError.ofSystem { () throws(SystemError) in try FileKindCheck.refuseOthers(at: path + ending) }
        }
    }

    /// Returns whether the database's file is empty or missing while its log is not: SQLite would treat the log as void and remove
    /// it, but the log may hold everything.
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
