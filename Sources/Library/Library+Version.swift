import CSQLite

extension Library {
    /// The version of SQLite that the catalogue is kept with.
    public nonisolated static var databaseVersion: String { String(cString: sqlite3_libversion()) }
}
