import ChartFiles
import Glibc
package import Model
import Platform

/// Restores a catalogue that cannot be used, from what is next to it. Whatever is under its name is kept under another one.
///
/// The process may be killed at any step: whatever is not done by then is found at the next start, which does the same again.
package struct CatalogueRecovery {
    package let folder: String
    package let path: String
    private let backups: CatalogueBackups

    /// How the names of catalogues begin that were set aside because they cannot be used.
    static let namesSetAside = "catalogue-set-aside-"

    package init(in folder: String) {
        self.folder = folder
        path = CatalogueFile.path(in: folder)
        backups = CatalogueBackups(of: folder)
    }

    private var charts: Int {
        get throws(LibraryError) {
            try LibraryError.ofSystem { () throws(SystemError) in try ChartFileName.charts(in: folder + "/charts") }.count
        }
    }

    /// The condition of the catalogue. One that is empty for a good reason counts as intact.
    package func condition() throws(LibraryError) -> CatalogueCondition {
        let condition = try CatalogueCondition.of(path)
        guard condition == .blank else { return condition }
        let database = try Database(path: path, access: .readOnly)
        defer { database.close() }
        guard try !Migration.isDue(Migration.all, in: database), try CatalogueGeneration(of: folder).isKnownToBeLast(database) else {
            return .blank
        }
        let doubt = try database.doubt
        return doubt == nil ? .intact : .blank
    }

    /// Makes sure that the file under the catalogue's name is intact, or missing. Returns what had to be done; `nil` if all was well,
    /// or a new library begins.
    package func run() throws(LibraryError) -> CatalogueNews? {
        let condition = try condition()
        guard condition != .intact else { return nil }
        let charts = try charts
        let backup = try backups.newestWhole
        if charts == 0, backup == nil {
            switch condition {
            case .foreign: throw .foreign(path: path)
            case .intact, .blank: return nil
            case .missing, .empty: if !DatabaseFiles.isOnlyLog(path) { return nil }
            // Whatever it was, it is kept; asking first would only keep the agent from its work.
            case .damaged: break
            }
        }
        guard let backup else {
            return .begunAnew(condition, charts: charts, setAside: condition == .blank ? nil : try setAside(path))
        }
        return .restored(condition, backup: backup.madeAt, setAside: try putBack(backup))
    }

    /// Returns what to tell a reader; `nil` if nothing is wrong, or nothing was ever here.
    package func loss() throws(LibraryError) -> LibraryError? {
        let condition = try condition()
        guard condition != .intact else { return nil }
        let charts = try charts
        let backup = try backups.newestWhole
        guard backup != nil || charts > 0 && condition != .blank else { return nil }
        return .lost(path: path, condition, charts: charts, backup: backup?.madeAt)
    }

    /// The file to read if nothing can be written in place of an unusable one: the catalogue, or else its newest backup.
    package func whatToRead() throws(LibraryError) -> (path: String, news: CatalogueNews?) {
        let condition = try condition()
        if condition == .intact { return (path, nil) }
        if let backup = try backups.newestWhole { return (backup.path, .restored(condition, backup: backup.madeAt, setAside: nil)) }
        if condition == .blank { return (path, nil) }
        throw try loss() ?? .missing(path: path)
    }

    /// Puts a copy of a backup in the catalogue's place. Returns the name under which the old file is kept.
    package func putBack(_ backup: CatalogueBackup) throws(LibraryError) -> String? {
        let generation = CatalogueGeneration(of: folder)
        var number = 0
        let copy = try copy(of: backup) { copy throws(LibraryError) in
            try copy.noteRestored(from: backup.madeAt)
            number = try generation.renumber(copy)
        }
        // From now on it is the catalogue, put there on purpose, so it must not look like an older copy.
        try generation.expect(number)
        return try putInPlace(copy)
    }

    /// A copy of a backup that is complete and on the disk, and does not have the catalogue's name yet.
    private func copy(
        of backup: CatalogueBackup, _ change: (Database) throws(LibraryError) -> Void = { _ in }
    ) throws(LibraryError) -> TemporaryFile {
        let source = try Database(path: backup.path, access: .readOnly)
        defer { source.close() }
        return try source.unpublishedCopy(inFolderOf: path, change)
    }

    /// Only now, when nothing more has to be written, does the old file go: on a full disk it would leave nothing in its place.
    private func putInPlace(_ copy: TemporaryFile) throws(LibraryError) -> String? {
        let kept = try setAside(path)
        try LibraryError.ofSystem { () throws(SystemError) in try copy.publish(as: path, durability: .synced) }
        return kept
    }

    /// Closes a catalogue whose files are not all in their place. Its log continues the file as it was: applied to another one that has
    /// been put there, it would destroy that. Where there is no file the log stays, since the file may be on its way back.
    package func leave(_ database: Database) {
        let isLogAstray = database.files.map { $0.isSameLog && !$0.holdsWhatWasNoted && !DatabaseFiles.isEmpty(path) } ?? false
        database.closeLeavingLog()
        if isLogAstray { _ = try? setAside(path, withFile: false) }
    }

    /// Leaves a catalogue in use whose files are not all in their place any more, and makes sure that the file under its name can be
    /// opened. Returns what had to be done; `nil` if nothing was lost and nothing is different.
    ///
    /// All that the connection knew is in a backup first, and in a copy that only needs the catalogue's name. Until that succeeds, this
    /// throws and the connection, which is the only place that has it, stays open.
    package func replace(_ database: Database, at now: Timestamp) throws(LibraryError) -> CatalogueNews? {
        // Whether the file under the catalogue's name holds what the connection left there; the log holds what comes after that.
        let (isFileOurs, isLogOurs) = (database.files?.holdsWhatWasNoted ?? false, database.files?.isSameLog ?? false)
        // The connection may also have read something that was never written, because memory or the disk fails.
        let isAllHere = isFileOurs && isLogOurs && !database.isDamaged
        let backup = isAllHere ? nil : try backUp(database, at: now)
        // The log continues the file as it was. Applied to the file that is there now, it would destroy that.
        if !isFileOurs, isLogOurs { try setAside(path, withFile: false) }
        let copy = try backup.map { backup throws(LibraryError) in try self.copy(of: backup) }
        database.closeLeavingLog()
        if isAllHere { return nil }
        if isFileOurs, let copy { return .putBack(nil, setAside: try putInPlace(copy)) }
        if isFileOurs, !isLogOurs { return .cutOff(setAside: try setAside(path, withFile: false)) }
        if isFileOurs { return try run() ?? .cutOff(setAside: nil) }
        let condition = try CatalogueCondition.of(path)
        if condition == .intact { return .replaced(backup: backup?.path, regained: nil) }
        guard let copy else { return try run() ?? .replaced(backup: nil, regained: nil) }
        return .putBack(condition, setAside: try putInPlace(copy))
    }

    /// Saves what a connection knows as an ordinary backup. `nil` if nothing is known, or if what the connection sees is inconsistent
    /// because the file was overwritten.
    private func backUp(_ database: Database, at now: Timestamp) throws(LibraryError) -> CatalogueBackup? {
        do throws(LibraryError) {
            return try database.knowsSomething ? try backups.make(of: database, at: now) : nil
        } catch {
            guard error.isOfContents else { throw error }
            return nil
        }
    }

    /// Gives the catalogue's files, as far as they exist, a free name. Returns the name under which their contents are now, or
    /// `nil` if nothing was there.
    ///
    /// The files next to it go first: a log without its catalogue is void, but a log next to a catalogue that it does not belong to
    /// destroys that one.
    @discardableResult
    private func setAside(_ path: String, withFile: Bool = true) throws(LibraryError) -> String? {
        var number = 1
        func name() -> String { "\(folder)/\(Self.namesSetAside)\(number).sqlite" }
        let endings = ["-journal", "-wal", "-shm", ""]
        while endings.contains(where: { access(name() + $0, F_OK) == 0 }) { number += 1 }
        var moved: String?
        for ending in endings where withFile || !ending.isEmpty {
            guard rename(path + ending, name() + ending) == 0 else {
                guard errno == ENOENT else { throw .system(SystemError("move away", path: path + ending)) }
                continue
            }
            if ending != "-shm" { moved = name() + ending }
        }
        return moved
    }
}
