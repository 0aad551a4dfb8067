import Glibc
import Platform

/// The catalogue's file in a library's folder.
package enum CatalogueFile {
    /// Where it is.
    package static func path(in folder: String) -> String { folder + "/catalogue.sqlite" }

    /// Opens the catalogue, which is whole or missing, for writing.
    package static func open(in folder: String) throws(LibraryError) -> Database {
        let database = try Database(path: path(in: folder), access: .readWrite)
        // Deletions of what is still in use are refused from the first statement on.
        try database.run("PRAGMA foreign_keys = ON")
        // FULL: a commit is on the disk when it returns, power cut or not. It costs one fsync a commit, and there are
        // commits only when something changed, beside downloads that are synced anyway.
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA trusted_schema = OFF")
        if try Migration.isDue(Migration.all, in: database) {
            // Should that fail, the steps themselves are all done or not at all.
            _ = try? CatalogueBackups(of: folder).make(of: database, at: CatalogueBackups.systemTime)
        }
        try Migration.apply(Migration.all, to: database)
        // Readers beside us neither wait nor make us wait. It stays in the file, so it comes after the check that the file is ours.
        try database.run("PRAGMA journal_mode = WAL")
        try database.noteFiles()
        return database
    }

    package static func openToRead(in folder: String) throws(LibraryError) -> Database {
        let path = path(in: folder)
        do throws(LibraryError) {
            try checkIsThere(path)
            let database = try Database(path: path, access: .readOnly)
            try Migration.check(Migration.all, of: database)
            try database.noteFiles()
            return database
        } catch {
            // That there is none is one thing where nothing was ever here, and another beside charts.
            switch error {
            case .missing, .foreign, .damaged: throw try CatalogueRecovery(in: folder).loss() ?? error
            default: throw error
            }
        }
    }

    /// Throws `missing` where there is no catalogue.
    package static func checkIsThere(_ path: String) throws(LibraryError) {
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .missing(path: path) }
    }
}
