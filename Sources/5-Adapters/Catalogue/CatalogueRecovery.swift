import ChartFiles
import Glibc
package import Model
import Platform

/// Restores a catalogue that cannot be used, from the files next to it. A file in the catalogue's place is kept under another name.
///
/// The process may be killed at any step: the next start finds the unfinished steps and repeats them.
package struct CatalogueRecovery {
    package let folder: String
    package let path: String
    private let backups: CatalogueBackups

    /// The beginning of the names of catalogues that were set aside because they could not be used.
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

    /// The condition of the catalogue. A blank catalogue counts as intact if its number proves that it is the library's last state.
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

    /// Makes sure that the file under the catalogue's name is intact, blank or missing. Returns a report of the repair; `nil` if
    /// the catalogue was intact or a new library begins. Throws if the file is another program's and there is nothing to restore.
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
            // A damaged file is kept in any case; asking the user first would only delay the agent's work.
            case .damaged: break
            }
        }
        guard let backup else {
            return .begunAnew(condition, charts: charts, setAside: condition == .blank ? nil : try setAside(path))
        }
        let (setAside, isComplete) = try putBack(backup)
        return isComplete ? .putBack(setAside: setAside) : .restored(condition, backup: backup.madeAt, setAside: setAside)
    }

    /// The error for a process that only reads; `nil` if nothing is wrong or the library was never used.
    package func loss() throws(LibraryError) -> LibraryError? {
        let condition = try condition()
        guard condition != .intact else { return nil }
        let charts = try charts
        let backup = try backups.newestWhole
        guard backup != nil || charts > 0 && condition != .blank else { return nil }
        return .lost(path: path, condition, charts: charts, backup: backup?.madeAt)
    }

    /// The file to read if the catalogue cannot be replaced: an intact catalogue, or else the newest backup, or else a blank catalogue.
    package func whatToRead() throws(LibraryError) -> (path: String, news: CatalogueNews?) {
        let condition = try condition()
        if condition == .intact { return (path, nil) }
        if let backup = try backups.newestWhole { return (backup.path, .restored(condition, backup: backup.madeAt, setAside: nil)) }
        if condition == .blank { return (path, nil) }
        throw try loss() ?? .missing(path: path)
    }

    /// Puts a copy of a backup in the catalogue's place. Returns the name under which the old file is kept, and whether the backup
    /// has everything that the library had.
    package func putBack(_ backup: CatalogueBackup) throws(LibraryError) -> (setAside: String?, isComplete: Bool) {
        let generation = CatalogueGeneration(of: folder)
        var (number, isComplete) = (0, false)
        let source = try Database(path: backup.path, access: .readOnly)
        defer { source.close() }
        // The copy must be complete and on the disk before the old file is moved: otherwise a full disk would leave no catalogue.
        let copy = try source.unpublishedCopy(inFolderOf: path) { copy throws(LibraryError) in
            isComplete = try generation.isComplete(copy)
            if !isComplete { try copy.noteRestored(from: backup.madeAt) }
            number = try generation.renumber(copy)
        }
        let kept = try setAside(path)
        try LibraryError.ofSystem { () throws(SystemError) in try copy.publish(as: path, durability: .synced) }
        // The backup was restored on purpose, so it must not count as an older copy. A complete backup does not count as one before
        // this write either: the library still expects the backup's former number.
        try generation.expect(number)
        return (kept, isComplete)
    }

    /// Gives up a catalogue in use, some of whose files are no longer in place. The connection's contents become a backup. Files
    /// that would destroy the present file, or would be trusted although they are incomplete, are moved away. The next process that
    /// opens the library starts with the files that are then in place, or with the backup.
    ///
    /// If the contents cannot be backed up for now, this throws and moves nothing. The connection may be the only complete source,
    /// so it stays open in any case. Returns the backup; `nil` if the catalogue is empty, or if the file was overwritten and
    /// nothing consistent is left.
    package func leave(_ database: Database, at now: Timestamp) throws(LibraryError) -> CatalogueBackup? {
        let (isFileOurs, isLogOurs) = (database.files?.holdsWhatWasNoted ?? false, database.files?.isSameLog ?? false)
        // If the file was overwritten, the connection may have only a few scattered pages of the former file.
        let isWrittenOver = !isFileOurs && database.files?.isSameFile ?? false
        let generation = CatalogueGeneration(of: folder)
        var number: Int?
        let backup = try backUp(database, at: now) { copy throws(LibraryError) in
            if !isWrittenOver { number = try generation.renumber(asComplete: copy) }
        }
        defer { database.files?.leave() }
        if isFileOurs, isLogOurs, !database.isDamaged { return backup }
        if isFileOurs, backup != nil {
            try setAside(path)
        } else if isFileOurs != isLogOurs {
            // The log belongs to the former file, and would destroy any other file that it is applied to.
            try setAside(path, withFile: false)
        }
        if backup != nil, let number { try generation.expect(number) } else { try generation.expectAnother() }
        return backup
    }

    private func backUp(
        _ database: Database, at now: Timestamp, _ change: (Database) throws(LibraryError) -> Void
    ) throws(LibraryError) -> CatalogueBackup? {
        do throws(LibraryError) {
            return try database.knowsSomething ? try backups.make(of: database, at: now, change) : nil
        } catch {
            guard error.isOfContents else { throw error }
            return nil
        }
    }

    /// Closes a catalogue whose files are not all in place. If the file is missing, the log stays: the user may be about to put the
    /// file back.
    package func close(_ database: Database) {
        let isLogAstray = database.files.map { $0.isSameLog && !$0.holdsWhatWasNoted && !DatabaseFiles.isEmpty(path) } ?? false
        database.closeLeavingLog()
        if isLogAstray { _ = try? setAside(path, withFile: false) }
    }

    /// Moves the catalogue's files, as far as they exist, to a free name. Returns the new path of their contents, or `nil` if there
    /// were no files.
    ///
    /// The files next to the catalogue are moved first: a log without its catalogue is useless, but a log next to the wrong
    /// catalogue destroys that catalogue.
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
