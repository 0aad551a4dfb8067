import CSQLite
import Glibc
import Platform

/// One connection to an SQLite file. It is not thread-safe and stays with the library that opened it.
final class Database {
    /// How it is opened.
    enum Access {
        case readOnly
        /// Made when missing.
        case readWrite
    }

    let path: String
    private var connection: OpaquePointer?
    private var statements: [String: Statement] = [:]

    init(path: String, access: Access) throws(LibraryError) {
        self.path = path
        if access == .readWrite { try Self.makePrivate(path) }
        let flags = access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        // One thread at a time is promised by the owner, so SQLite's own mutexes would only cost.
        let code = sqlite3_open_v2(path, &connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK else {
            let error = failure(code)
            close()
            throw error
        }
        // Writers hold the file for milliseconds; whoever waits longer than this meets a second agent.
        sqlite3_busy_timeout(connection, 2000)
    }

    deinit {
        close()
    }

    /// SQLite would make the file readable to all; the files beside it take its mode.
    private static func makePrivate(_ path: String) throws(LibraryError) {
        // Only when it is not there: closing a descriptor of ours would drop the locks of another connection.
        let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number < 0 else {
            Glibc.close(number)
            return
        }
        guard errno == EEXIST else { throw .system(SystemError("create", path: path)) }
    }

    /// Ends the connection; every later call fails.
    func close() {
        statements = [:]
        sqlite3_close_v2(connection)
        connection = nil
    }

    /// Rows inserted, changed or deleted by this connection so far.
    var totalChanges: Int { connection.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// Runs one statement that returns nothing; the number of rows that it changed.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue] = []) throws(LibraryError) -> Int {
        let before = totalChanges
        let statement = try prepared(sql)
        defer { statement.reset() }
        statement.bind(values)
        var code = statement.step()
        // Pragmas answer with rows that nobody needs.
        while code == SQLITE_ROW { code = statement.step() }
        guard code == SQLITE_DONE else { throw failure(code) }
        return totalChanges - before
    }

    /// Runs a query and reads every row.
    func rows<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> Result
    ) throws(LibraryError) -> [Result] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        statement.bind(values)
        var results: [Result] = []
        while true {
            let code = statement.step()
            if code == SQLITE_DONE { return results }
            guard code == SQLITE_ROW else { throw failure(code) }
            results.append(try read(statement.row))
        }
    }

    /// Runs a query for at most one row.
    func row<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result? {
        try rows(sql, values, read).first
    }

    /// Runs several statements given as one text.
    func script(_ sql: String) throws(LibraryError) {
        guard let connection else { throw .closed }
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs `body` with the writer's lock; all that it wrote is there afterwards, or, when it throws, nothing of it.
    @discardableResult
    func write<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        // The lock comes first: a reader that becomes a writer half-way can be refused.
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` so that all its queries see one state; inside of another one, the state that that one sees.
    func read<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        if let connection, sqlite3_get_autocommit(connection) == 0 { return try body() }
        return try transaction("BEGIN", body)
    }

    private func transaction<Result>(_ begin: String, _ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has rolled back by itself after some errors; there is nothing left to do then.
            if let connection, sqlite3_get_autocommit(connection) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: String) throws(LibraryError) -> Statement {
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
}
