import Glibc
import Platform

extension Database {
    /// Makes one small change in the library of `folder`, even while another process writes to it, all of it or nothing.
    ///
    /// Use it for changes whose order with that process's own does not matter. If there is no library, none is created.
    package static func change<Result>(
        libraryAt folder: String, _ body: (Database) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        let path = CatalogueFile.path(in: folder)
        try CatalogueFile.checkIsThere(path)
        guard !Folder.isOnReadOnlyDisk(folder) else { throw .system(SystemError("write in", path: folder, code: EROFS)) }
        let database = try Database(path: path, access: .readWrite)
        defer { database.close() }
        try database.run("PRAGMA foreign_keys = ON")
        // Only that process may checkpoint the log into the file: that is how it knows whether the file is still its own.
        try database.run("PRAGMA wal_autocheckpoint = 0")
        try Migration.check(Migration.all, of: database)
        let generation = CatalogueGeneration(of: folder)
        // A number for an older copy would hide that it is one.
        let isLast = try generation.isLast(database)
        let result = try database.write { () throws(LibraryError) in try body(database) }
        // What people choose is known nowhere else: an older copy that lacks it must not pass for this one.
        if isLast, database.totalChanges > 0 { try generation.renew(in: database) }
        return result
    }

    /// Reads something in the library of `folder`, even while another process writes to it.
    package static func read<Result>(
        libraryAt folder: String, _ body: (Database) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        let path = CatalogueFile.path(in: folder)
        try CatalogueFile.checkIsThere(path)
        let database = try Database(path: path, access: .readOnly)
        defer { database.close() }
        try Migration.check(Migration.all, of: database)
        return try body(database)
    }
}
