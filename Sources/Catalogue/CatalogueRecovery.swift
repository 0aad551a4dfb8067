import ChartLinks
import Glibc
import Model
import Platform

/// Brings back a catalogue that cannot be used, from what lies beside it. Whatever stands under its name is kept under another.
///
/// At any step the process may be killed: what is missing then is missing at the next start, which does the same again.
package struct CatalogueRecovery {
    package let folder: String
    package let path: String
    private let backups: CatalogueBackups

    /// What the names begin with that catalogues are given which cannot be used.
    package static let namesSetAside = "catalogue-set-aside-"

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

    /// How the catalogue stands. One that rightly knows nothing any more is whole.
    package func condition() throws(LibraryError) -> CatalogueCondition {
        let condition = try CatalogueCondition.of(path)
        guard condition == .blank else { return condition }
        let database = try Database(path: path, access: .readOnly)
        defer { database.close() }
        // It may be a newer program's.
        try Migration.checkKnown(Migration.all, in: database)
        guard try !Migration.isDue(Migration.all, in: database), try CatalogueGeneration(of: folder).isKnownToBeLast(database) else {
            return .blank
        }
        let doubt = try database.doubt
        return doubt == nil ? .whole : .blank
    }

    /// Sees to it that what stands under the catalogue's name is whole, or nothing. Answers what it came to; `nil` where all was well,
    /// or a new library begins.
    package func run() throws(LibraryError) -> CatalogueNews? {
        let condition = try condition()
        guard condition != .whole else { return nil }
        let charts = try charts
        let backup = try backups.newestWhole
        if charts == 0, backup == nil {
            switch condition {
            case .foreign: throw .foreign(path: path)
            case .whole, .blank: return nil
            case .missing, .empty: if !DatabaseFiles.isOnlyLog(path) { return nil }
            // Whatever it was is kept, and asking somebody first would only keep the agent from its work.
            case .damaged: break
            }
        }
        guard let backup else {
            return .begunAnew(condition, charts: charts, setAside: condition == .blank ? nil : try setAside(path))
        }
        return .restored(condition, backup: backup.madeAt, setAside: try putBack(backup))
    }

    /// What a reader is to be told; `nil` where nothing is wrong, or nothing was ever here.
    package func loss() throws(LibraryError) -> LibraryError? {
        let condition = try condition()
        guard condition != .whole else { return nil }
        let charts = try charts
        let backup = try backups.newestWhole
        guard backup != nil || charts > 0 && condition != .blank else { return nil }
        return .lost(path: path, condition, charts: charts, backup: backup?.madeAt)
    }

    /// The file to read where nothing can be put in the place of one that cannot be used: the catalogue, or else its newest backup.
    package func whatToRead() throws(LibraryError) -> (path: String, news: CatalogueNews?) {
        let condition = try condition()
        if condition == .whole { return (path, nil) }
        if let backup = try backups.newestWhole { return (backup.path, .restored(condition, backup: backup.madeAt, setAside: nil)) }
        if condition == .blank { return (path, nil) }
        throw try loss() ?? .missing(path: path)
    }

    /// Puts a copy of a backup in the catalogue's place. Answers under which name what was there is kept.
    package func putBack(_ backup: CatalogueBackup) throws(LibraryError) -> String? {
        let source = try Database(path: backup.path, access: .readOnly)
        defer { source.close() }
        let kept = try setAside(path)
        try source.writeCopy(as: path) { copy throws(LibraryError) in
            try copy.noteRestored(from: backup.madeAt)
            // They may be wanted by what came after.
            let lets = try copy.row("SELECT 1 FROM sqlite_schema WHERE name = 'let_go_charts'") { _ in true }
            if lets == true { try copy.run("DELETE FROM let_go_charts") }
            // It is the catalogue from now on, and nobody put it there who did not know of it.
            try CatalogueGeneration(of: folder).renew(in: copy)
        }
        return kept
    }

    /// Puts a copy of all that was known in the catalogue's place, where there is nothing.
    package func publish(_ copy: CatalogueBackup) throws(LibraryError) {
        let source = try Database(path: copy.path, access: .readOnly)
        defer { source.close() }
        try source.writeCopy(as: path)
    }

    /// Gives the catalogue's files, as far as they are there, a name that is free. Answers under which one what was in them is, or
    /// `nil` if nothing was there.
    ///
    /// The files beside it go first: a log without its catalogue is void, but one beside a catalogue that it is not of destroys that.
    @discardableResult
    package func setAside(_ path: String, withFile: Bool = true) throws(LibraryError) -> String? {
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
