public import Catalogue
import Glibc
public import Model
import Platform

/// The catalogue is a file: anybody who may write to the folder may remove it, overwrite it or replace it while we have it open.
extension Library {
    /// Whether what we write goes to the file under the catalogue's name.
    public var isInPlace: Bool {
        if isEnded { return true }
        guard displaced == nil, !database.isClosed, let files = database.files else { return isOnlyInMemory }
        return isForReading ? files.isSameFile : files.areInPlace && !database.isDamaged
    }

    /// Makes sure that this library works on the file under the catalogue's name: if that was removed or cannot be used, it is
    /// rewritten; if it is another catalogue, that one is opened. Answers what was done; `nil` if there is nothing to report.
    ///
    /// Throws if nothing can be done for now, and may be called again. Until it succeeds nothing is written.
    public func keepInPlace(at now: Timestamp) throws(LibraryError) -> CatalogueNews? {
        guard !isInPlace else { return nil }
        if isForReading {
            forgetWhatWasRead()
            database.close()
            catalogue.database = try CatalogueFile.openToRead(in: folder)
            return .replaced(backup: nil, regained: nil)
        }
        guard access(folder, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .takenAway(folder: folder) }
        var displaced = try displacement(at: now)
        // From here until all is done, only this has what was known. It is not set meanwhile, so that what is opened counts as in place.
        self.displaced = nil
        defer { self.displaced = displaced.isOver ? nil : displaced }
        forgetWhatWasRead()
        database.closeLeavingLog()
        try displaced.settle()
        catalogue.database = try CatalogueFile.open(in: folder)
        backupState = BackupState()
        changesAtGeneration = database.totalChanges
        switch displaced.news {
        case .replaced(let backup, _): displaced.news = .replaced(backup: backup, regained: try noteOtherCatalogue())
        case .cutOff: try noteOtherCatalogue()
        case .begunAnew(_, let charts, _):
            try noteBegunAnew(charts: charts)
            try renewGeneration()
        case .restored, .putBack, nil: break
        }
        displaced.isOver = true
        return displaced.news
    }

    private func displacement(at now: Timestamp) throws(LibraryError) -> DisplacedCatalogue {
        guard let displaced else { return try DisplacedCatalogue(database, in: folder, at: now) }
        // What was opened instead may have lost its place as well, before it could be noted what it lacks.
        guard !database.isClosed, database.files?.areInPlace == false else { return displaced }
        return try DisplacedCatalogue(database, in: folder, at: now, after: displaced.news)
    }

    private func forgetWhatWasRead() {
        drawings.forgetWhatWasRead()
        journal.forgetWhatWasRead()
        catalogue.noteOtherCharts()
        latestPoll = nil
    }
}
