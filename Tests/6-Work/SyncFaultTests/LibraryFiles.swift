import CSQLite
import Glibc
import Model
import Platform
import TestSupport

/// A library's folder on the disk, read without the code that wrote it.
struct LibraryFiles {
    let folder: String

    /// The faults of the catalogue and the charts' files; unfinished files are not faults.
    func faults() throws -> [String] {
        let copy = try catalogueCopy()
        var found = catalogueFaults(copy.path("catalogue.sqlite"))
        for name in try chartNames() where !name.hasPrefix(".tmp-") {
            let bytes = try AtomicFile.read(folder + "/charts/" + name, limit: 1 << 28)
            if name != SHA256.digest(of: bytes).hex + ".pdf" { found.append("\(name) holds other bytes than its name says") }
        }
        return found
    }

    /// The names of unfinished files.
    func temporaryFiles() throws -> [String] {
        try chartNames().filter { $0.hasPrefix(".tmp-") }
    }

    /// The hashes of the charts whose files are complete.
    func charts() throws -> Set<String> {
        Set(try chartNames().filter { $0.hasSuffix(".pdf") }.map { String($0.dropLast(4)) })
    }

    /// A copy of the catalogue as it is: reading the copy repairs nothing in the original.
    func catalogueCopy() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        for name in ["/catalogue.sqlite", "/catalogue.sqlite-wal"] where access(folder + name, F_OK) == 0 {
            let bytes = try AtomicFile.read(folder + name, limit: 1 << 28)
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: copy.path + name, durability: .none) }
        }
        return copy
    }

    /// Changes the catalogue behind the back of the processes that use it.
    func run(_ sql: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        guard sqlite3_open_v2(folder + "/catalogue.sqlite", &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(database, "PRAGMA foreign_keys = ON; " + sql, nil, nil, nil) == SQLITE_OK
        else { throw SystemError("change", path: folder + "/catalogue.sqlite", code: EIO) }
    }

    private func chartNames() throws -> [String] {
        guard access(folder + "/charts", F_OK) == 0 else { return [] }
        return try Folder.names(in: folder + "/charts")
    }

    /// The faults that SQLite itself finds.
    private func catalogueFaults(_ path: String) -> [String] {
        guard access(path, F_OK) == 0 else { return [] }
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return ["\(path) does not open"] }
        return ["PRAGMA integrity_check", "PRAGMA foreign_key_check"].flatMap { question -> [String] in
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(database, question, -1, &statement, nil) == SQLITE_OK else {
                return [String(cString: sqlite3_errmsg(database))]
            }
            var answers: [String] = []
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: answers.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
                case SQLITE_DONE: return answers.filter { $0 != "ok" }
                default: return answers + [String(cString: sqlite3_errmsg(database))]
                }
            }
        }
    }
}
