import CSQLite
import Glibc
import Model
package import Platform

/// One connection to an SQLite file. It is not thread-safe: only the library that opened it may use it.
@usableFromInline
package final class Database {
    /// How the file is opened.
    package enum Access {
        case readOnly
        /// The file is created if it is missing.
        case readWrite
        /// The database is empty and in no file; the path is only used in messages.
        case inMemory
    }

    package let path: String
    package let access: Access
    private var connection: OpaquePointer?
    private var statements: [String: Statement] = [:]
    private var isWriting = false
    /// The files in use; `nil` until `noteFiles` is called.
    package private(set) var files: FilesInUse?
    /// `true` if SQLite has reported that the file is damaged or not a database.
    package private(set) var isDamaged = false
    /// Why SQLite could not create the files that it needs next to the database, or why the last changes could not be written, if the disk
    /// was too full.
    package private(set) var fullDisk: SystemError?

    /// How many of SQLite's own steps each statement has taken so far: the same number on any machine under any load.
    package var stepsTaken: [String: Int] { statements.mapValues(\.stepsTaken) }

    package init(path: String, access: Access) throws(LibraryError) {
        (self.path, self.access) = (path, access)
        if access != .inMemory { try DatabaseFiles.refuseOthers(path) }
        guard access == .inMemory || !DatabaseFiles.isOnlyLog(path) else {
            throw .damaged(path: path, message: "it is empty, but the write-ahead log beside it is not")
        }
        if access == .readWrite { try Self.makePrivate(path) }
        switch access {
        case .readWrite: try connect(to: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        case .readOnly:
            try connect(to: Self.nameToRead(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            try beginReading()
        case .inMemory: try connect(to: ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        }
    }

    private func connect(to name: String, _ flags: Int32) throws(LibraryError) {
        // The owner promises to use one thread at a time, so SQLite's own mutexes would be a waste.
        let code = sqlite3_open_v2(name, &connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK else {
            let error = failure(code)
            close()
            throw error
        }
        // Writers lock the file for milliseconds; a wait longer than this means that there is a second agent.
        sqlite3_busy_timeout(connection, 2000)
    }

    deinit {
        close()
    }

    /// Reads for the first time. On a full disk this fails, because SQLite creates files of its own next to the catalogue. Without
    /// a log, SQLite can read without such files, since the catalogue itself has everything.
    private func beginReading() throws(LibraryError) {
        let look = "PRAGMA schema_version"
        let code = sqlite3_exec(connection, look, nil, nil, nil)
        // SQLite refuses readers until a process with write access has undone what a killed writer left unfinished.
        if code == woodshed_sqlite3_readonly_rollback { return Self.undoWhatWasBrokenOff(in: path, by: look) }
        guard code != SQLITE_OK, case .system(let error) = failure(code), error.isDiskFull, DatabaseFiles.isEmpty(path + "-wal") else {
            return
        }
        fullDisk = error
        close()
        try connect(to: Self.nameOfFileAlone(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    private static func undoWhatWasBrokenOff(in path: String, by look: String) {
        var writer: OpaquePointer?
        defer { sqlite3_close_v2(writer) }
        guard sqlite3_open_v2(path, &writer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else { return }
        sqlite3_exec(writer, look, nil, nil, nil)
    }

    /// Creates the file, if it is missing, with access for its owner only; SQLite would make it readable for all. SQLite then
    /// gives the files next to it the same mode.
    private static func makePrivate(_ path: String) throws(LibraryError) {
        // An existing file is not opened here: closing our descriptor would drop the locks of another connection.
        let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number < 0 else {
            Glibc.close(number)
            return
        }
        guard errno == EEXIST else { throw .system(SystemError("create", path: path)) }
    }

    /// Closes the connection; every later call fails.
    package func close() {
        statements = [:]
        sqlite3_close_v2(connection)
        connection = nil
    }

    /// Closes the connection and leaves the log next to the file as it is, since the log may no longer belong to the file.
    package func closeLeavingLog() {
        if let connection { _ = woodshed_sqlite3_keep_log(connection) }
        close()
    }

    package var isClosed: Bool { connection == nil }

    /// Rows inserted, changed or deleted by this connection so far.
    package var totalChanges: Int { connection.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// Runs one statement that returns nothing; returns the number of rows that changed.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLValue] = []) throws(LibraryError) -> Int {
        let before = totalChanges
        let statement = try prepared(sql)
        defer { statement.reset() }
        // Without this check, the change would go to a file that is never opened again.
        guard isInTransaction || statement.isReadOnly || files?.areInPlace ?? true else { throw .replaced(path: path) }
        statement.bind(values)
        var code = statement.step()
        // Pragmas return rows that are not needed.
        while code == SQLITE_ROW { code = statement.step() }
        guard code == SQLITE_DONE else { throw failure(code) }
        return totalChanges - before
    }

    /// Runs a query and reads every row. Inlining keeps the results out of unspecialised generic code.
    @inlinable
    package func rows<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> Result
    ) throws(LibraryError) -> [Result] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        statement.bind(values)
        var results: [Result] = []
        while try hasRow(statement) { results.append(try read(statement.row)) }
        return results
    }

    /// Moves a statement to its next row; returns whether there is one.
    @usableFromInline
    func hasRow(_ statement: Statement) throws(LibraryError) -> Bool {
        let code = statement.step()
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_ROW else { throw failure(code) }
        return true
    }

    /// Runs a query and reads every row. Returns the first row's result; `nil` if there is no row.
    @inlinable
    package func row<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result? {
        try rows(sql, values, read).first
    }

    /// Runs a query that returns one value for each key. If there are several values for a key, the first one counts.
    @inlinable
    package func dictionary<Key: Hashable, Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> (Key, Value)
    ) throws(LibraryError) -> [Key: Value] {
        Dictionary(try rows(sql, values, read)) { first, _ in first }
    }

    /// Runs a query that returns several values for each key; the values keep their order.
    @inlinable
    package func groups<Key: Hashable, Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> (Key, Value)
    ) throws(LibraryError) -> [Key: [Value]] {
        Dictionary(grouping: try rows(sql, values, read), by: \.0).mapValues { $0.map(\.1) }
    }

    /// Returns whether a query has any row.
    package func has(_ sql: String, _ values: [SQLValue] = []) throws(LibraryError) -> Bool { try row(sql, values) { _ in true } ?? false }

    /// Inserts a row. If `key` is given, and a row has the same key, updates that row instead: the given columns, and the columns
    /// that the SQL in `also` sets. Returns how many rows changed; with `ifOther`, an identical row is not written and does not
    /// count.
    @discardableResult
    package func put(
        _ table: String, key: String? = nil, ifOther: Bool = false, _ columns: KeyValuePairs<String, SQLValue>, also: String = ""
    ) throws(LibraryError) -> Int {
        let names = columns.map(\.key)
        let places = Array(repeating: "?", count: names.count)
        var sql = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
        if let key {
            let rest = names.filter { name in !key.split(separator: ", ").contains { $0 == name } }
            sql += " ON CONFLICT (\(key)) DO UPDATE SET \(rest.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))\(also)"
            if ifOther { sql += " WHERE \(rest.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR "))" }
        }
        return try run(sql, columns.map(\.value))
    }

    /// Runs several statements given as one text.
    package func script(_ sql: String) throws(LibraryError) {
        guard let connection else { throw .closed }
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs `body` with the write lock. Everything that `body` writes is stored or, if it throws, nothing. A call inside another
    /// such call joins the outer transaction.
    @discardableResult
    package func write<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        if isWriting { return try body() }
        isWriting = true
        defer { isWriting = false }
        let before = totalChanges
        do throws(LibraryError) {
            // The write lock is taken first: SQLite may refuse a reader that becomes a writer halfway.
            let result = try transaction("BEGIN IMMEDIATE", body)
            // If nothing was written, the disk may still be full.
            if totalChanges > before { fullDisk = nil }
            return result
        } catch {
            if case .system(let reason) = error, reason.isDiskFull, reason.path == path { fullDisk = reason }
            throw error
        }
    }

    /// Runs `body` so that all its queries see one state; a call inside another such call sees the outer call's state.
    package func read<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        if isInTransaction { return try body() }
        return try transaction("BEGIN", body)
    }

    private var isInTransaction: Bool { connection.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    private func transaction<Result>(_ begin: String, _ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite rolls back by itself, so there is nothing left to undo.
            if isInTransaction { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    @usableFromInline
    func prepared(_ sql: String) throws(LibraryError) -> Statement {
        guard let connection else { throw .closed }
        if let statement = statements[sql] { return statement }
        var raw: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
        guard code == SQLITE_OK, let raw else { throw failure(code) }
        let statement = Statement(owning: raw)
        statements[sql] = statement
        return statement
    }

    private func failure(_ code: Int32) -> LibraryError {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let systemCode = connection.map { sqlite3_system_errno($0) } ?? 0
        if [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) { isDamaged = true }
        switch code & 0xff {
        case SQLITE_FULL: return .system(SystemError("write", path: path, code: ENOSPC))
        case SQLITE_IOERR where systemCode == ENOSPC || systemCode == EDQUOT:
            return .system(SystemError("write", path: path, code: systemCode))
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, message: message)
        case SQLITE_CANTOPEN where systemCode != 0: return .system(SystemError("open", path: path, code: systemCode))
        case SQLITE_READONLY, SQLITE_PERM: return .system(SystemError("write", path: path, code: EACCES))
        default: return .database(path: path, message: message, code: code)
        }
    }

    // MARK: - Its files

    /// Notes which files the connection works on, and from then on detects whether they were replaced.
    ///
    /// While the connection is open, only this hook writes the log into the file itself. So if the file was changed in any other
    /// way, a program that ignores the log has written to it.
    func noteFiles() throws(LibraryError) {
        // A first read makes sure that the log and its index exist.
        try run("PRAGMA schema_version")
        files = FilesInUse(of: self)
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            connection,
            { context, connection, name, pages in
                guard let context, let files = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().files else { return SQLITE_OK }
                files.followLog()
                guard pages >= Database.mostPagesInLog, files.areInPlace else { return SQLITE_OK }
                sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                files.noteAgain()
                return SQLITE_OK
            }, this)
    }

    /// How many pages the log may reach before it is written into the file: SQLite's own default.
    private static let mostPagesInLog: Int32 = 1000

    /// The header of the open file, without its log; `nil` if it cannot be read.
    ///
    /// The header is read through the connection's own descriptor: closing another descriptor of the same file would drop the file's locks.
    var header: [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard let connection, sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods?.pointee
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: DatabaseFiles.headerSize)
        return methods.xRead(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK ? bytes : nil
    }

    /// Copies everything in this connection, as it is at one moment, into another connection, which must be empty.
    package func copy(into other: Database) throws(LibraryError) {
        guard let connection, let target = other.connection else { throw .closed }
        guard let backup = sqlite3_backup_init(target, "main", connection, "main") else { throw other.failure(sqlite3_errcode(target)) }
        var code = sqlite3_backup_step(backup, -1)
        // Wait for another process that is just finishing a checkpoint.
        for _ in 0..<100 where code == SQLITE_BUSY || code == SQLITE_LOCKED {
            sqlite3_sleep(20)
            code = sqlite3_backup_step(backup, -1)
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw failure(code) }
        guard end == SQLITE_OK else { throw other.failure(end) }
    }

    /// The name to open for reading. This is the path, unless the disk is read-only and there is no log to read: SQLite would try
    /// to create files next to the database.
    private static func nameToRead(_ path: String) -> String {
        let isReadOnly = Glibc.access(Folder.parent(of: path), W_OK) != 0 && (errno == EROFS || errno == EACCES)
        return isReadOnly && DatabaseFiles.isEmpty(path + "-wal") ? nameOfFileAlone(path) : path
    }

    /// A name that makes SQLite read only this file and create none next to it.
    private static func nameOfFileAlone(_ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let name = path.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }
        return "file:\(name.joined())?immutable=1"
    }

    /// The version of the SQLite library in use.
    package static var version: String { String(cString: sqlite3_libversion()) }
}
