import Glibc
package import Platform

/// The catalogue's file in a library's folder.
package enum CatalogueFile {
    package static func path(in folder: String) -> String { folder + "/catalogue.sqlite" }

    /// Opens the catalogue, which must be intact or missing, for writing, and applies any of `steps` that it lacks.
    package static func open(in folder: String, steps: [Migration] = Migration.all) throws(LibraryError) -> Database {
        let database = try Database(path: path(in: folder), access: .readWrite)
        // SQLite must enforce references from the first statement on, so that no row still in use can be deleted.
        try database.run("PRAGMA foreign_keys = ON")
        // FULL: a commit is on the disk when it returns, even if the power fails. It costs one fsync per commit, and commits occur
        // only when something changed or a download arrived, which is synced anyway.
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA trusted_schema = OFF")
        if try Migration.isDue(steps, in: database) {
            // A failed backup does no harm: the steps are still applied completely or not at all.
            _ = try? CatalogueBackups(of: folder).make(of: database, at: CatalogueBackups.systemTime)
        }
        try Migration.apply(steps, to: database)
        // With WAL, readers and writers do not wait for each other. The file keeps this mode, so it is set only after the checks above.
        try database.run("PRAGMA journal_mode = WAL")
        try database.noteFiles()
        return database
    }

    package static func openToRead(in folder: String) throws(LibraryError) -> Database {
        let path = path(in: folder)
        do throws(LibraryError) {
            try checkIsThere(path)
            return try reader(of: path)
        } catch {
            // A missing catalogue is normal in an unused folder, but not next to charts.
            switch error {
            case .missing, .foreign, .damaged: throw try CatalogueRecovery(in: folder).loss() ?? error
            default: throw error
            }
        }
    }

    /// Opens the catalogue at `path` for reading. If an older program made it, this is a copy in memory with the steps that it lacks:
    /// the file stays as it is until a program that may write to it brings it up to date.
    fileprivate static func reader(of path: String) throws(LibraryError) -> Database {
        let stored = try Database(path: path, access: .readOnly)
        do throws(LibraryError) {
            try Migration.check(Migration.all, of: stored)
            try stored.noteFiles()
            return stored
        } catch {
            guard case .older = error else { throw error }
        }
        defer { stored.close() }
        let copy = try Database(path: path, access: .inMemory)
        try stored.copy(into: copy)
        try Migration.apply(Migration.all, to: copy)
        try copy.run("PRAGMA query_only = ON")
        return copy
    }

    /// Applies the steps that an older program's catalogue lacks, after a backup. Throws `older` if another process is at work on it,
    /// since that may be the older program.
    fileprivate static func bringUpToDate(in folder: String) throws(LibraryError) {
        let lock: AgentLock
        do throws(AgentLock.Failure) {
            lock = try AgentLock.take(in: folder)
        } catch {
            if case .system(let reason) = error { throw .system(reason) }
            throw .older(path: path(in: folder))
        }
        defer { withExtendedLifetime(lock) {} }
        try open(in: folder).close()
    }

    /// Throws `missing` if there is no catalogue.
    package static func checkIsThere(_ path: String) throws(LibraryError) {
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else {
            if Folder.deadLink(onWayTo: path) != nil { throw .system(SystemError("open", path: path, code: ENOENT)) }
            throw .missing(path: path)
        }
    }
}

/// The catalogue that the stores work on.
@LoopActor
package final class OpenCatalogue {
    package nonisolated let folder: String
    /// `true` if this process only reads; another process may then change the library.
    package let isForReading: Bool
    package let database: Database
    /// How often this process changed attachments, their charts or the links to them.
    package private(set) var chartChanges = 0

    package init(_ database: Database, in folder: String, isForReading: Bool) {
        self.database = database
        self.folder = folder
        self.isForReading = isForReading
    }

    package nonisolated var chartsFolder: String { folder + "/charts" }

    /// Notes that attachments, their charts or the links to them may have changed.
    package func noteOtherCharts() { chartChanges += 1 }
}

extension Database {
    /// Makes one small change in the library of `folder`, completely or not at all, even while another process writes to the library.
    ///
    /// Use it for changes whose order relative to the other process's changes does not matter. If there is no library, none is created.
    package static func change<Result>(
        libraryAt folder: String, _ body: (Database) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        let path = CatalogueFile.path(in: folder)
        try CatalogueFile.checkIsThere(path)
        guard !Folder.isOnReadOnlyDisk(folder) else { throw .system(SystemError("write in", path: folder, code: EROFS)) }
        let database = try Database(path: path, access: .readWrite)
        defer { database.close() }
        try database.run("PRAGMA foreign_keys = ON")
        // Only the agent may checkpoint the log into the file: a changed file then shows the agent that another program wrote to it.
        try database.run("PRAGMA wal_autocheckpoint = 0")
        do throws(LibraryError) {
            try Migration.check(Migration.all, of: database)
        } catch {
            guard case .older = error else { throw error }
            try CatalogueFile.bringUpToDate(in: folder)
        }
        let generation = CatalogueGeneration(of: folder)
        // An older copy of the catalogue must not get a new number, which would hide its age.
        let isLast = try generation.isLast(database)
        let result = try database.write { () throws(LibraryError) in try body(database) }
        // The user's choices are stored nowhere else: an older copy without them must not be mistaken for this catalogue.
        if isLast, database.totalChanges > 0 { try generation.renew(in: database) }
        return result
    }

    /// Reads from the library of `folder`, even while another process writes to the library.
    package static func read<Result>(
        libraryAt folder: String, _ body: (Database) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        let path = CatalogueFile.path(in: folder)
        try CatalogueFile.checkIsThere(path)
        let database = try CatalogueFile.reader(of: path)
        defer { database.close() }
        return try body(database)
    }
}
