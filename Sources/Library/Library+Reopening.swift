public import Catalogue
import Glibc
public import Model
import Platform

/// A catalogue is a file, and whoever may write the folder may remove it, write over it or put another there while we have it open.
extension Library {
    /// Whether what is written here is written into the file under the catalogue's name.
    public var isInPlace: Bool {
        if isEnded { return true }
        guard !database.isClosed, let files = database.files else { return isOnlyInMemory }
        return isForReading ? files.isSameFile : files.areInPlace && !database.isDamaged
    }

    /// Makes sure that this library works on the file under the catalogue's name: where that was removed or cannot be used, it is
    /// written anew; where it is another catalogue, that is opened. Answers what was done; `nil` if nothing was to be told.
    ///
    /// It throws where nothing can be done for now, and may be asked again. Until then nothing is written.
    public func keepInPlace(at now: Timestamp) throws(LibraryError) -> CatalogueNews? {
        guard !isInPlace else { return nil }
        if isForReading {
            forgetWhatWasRead()
            database.close()
            catalogue.database = try CatalogueFile.openToRead(in: folder)
            return .replaced(backup: nil)
        }
        guard access(folder, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .takenAway(folder: folder) }
        var displaced = try displacement(at: now)
        // From here on only it knows what was known, until all is done.
        defer { self.displaced = displaced.isOver ? nil : displaced }
        forgetWhatWasRead()
        database.closeLeavingLog()
        try displaced.settle()
        catalogue.database = try CatalogueFile.open(in: folder)
        backupState = BackupState()
        changesAtGeneration = database.totalChanges
        switch displaced.news {
        case .replaced, .cutOff:
            if try database.doubt == nil {
                let time = try storedPoll()
                try unchanged { () throws(LibraryError) in try database.noteRestored(from: time) }
            }
        case .begunAnew(_, let charts, _):
            try noteBegunAnew(charts: charts)
            try renewGeneration()
        case .restored, .putBack, nil: break
        }
        displaced.isOver = true
        return displaced.news
    }

    private func displacement(at now: Timestamp) throws(LibraryError) -> DisplacedCatalogue {
        if let displaced { return displaced }
        return try DisplacedCatalogue(database, in: folder, at: now)
    }

    private func forgetWhatWasRead() {
        drawings.forgetWhatWasRead()
        journal.forgetWhatWasRead()
        catalogue.noteOtherCharts()
        latestPoll = nil
    }
}
