import Glibc
import Platform

/// The catalogue's file in a library's folder.
package enum CatalogueFile {
    /// Where it is.
    package static func path(in folder: String) -> String { folder + "/catalogue.sqlite" }

    /// Opens the catalogue, which must be intact or missing, for writing.
    package static func open(in folder: String) throws(LibraryError) -> Database {
        let database = try Database(path: path(in: folder), access: .readWrite)
        // From the first statement on, nothing can be deleted that is still in use.
        try database.run("PRAGMA foreign_keys = ON")
        // FULL: a commit is on the disk when it returns, even if the power fails. It costs one fsync a commit, and there are
        // commits only when something changed, besides downloads, which are synced anyway.
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA trusted_schema = OFF")
        if try Migration.isDue(Migration.all, in: database) {
            // If this fails, the steps themselves are still all done or not at all.
            _ = try? CatalogueBackups(of: folder).make(of: database, at: CatalogueBackups.systemTime)
        }
        try Migration.applyAll(to: database)
        // With WAL, readers and we do not wait for each other. The file stays that way, so this comes after the check that it is ours.
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
            // That there is no catalogue is normal if nothing was ever here, but not if there are charts next to it.
            switch error {
            case .missing, .foreign, .damaged: throw try CatalogueRecovery(in: folder).loss() ?? error
            default: throw error
            }
        }
    }

    /// Throws `missing` if there is no catalogue.
    package static func checkIsThere(_ path: String) throws(LibraryError) {
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .missing(path: path) }
    }
}
