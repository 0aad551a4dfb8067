import Glibc
public import Model
import Platform

/// A catalogue is a file, and whoever may write the folder may remove it, write over it or put another there while we have it open.
extension Library {
    /// Whether what is written here is written into the file under the catalogue's name.
    public var isInPlace: Bool {
        if isEnded { return true }
        guard !database.isClosed else { return false }
        return isForReading ? database.isSameFile : database.isInPlace && !database.isDamaged
    }

    /// Makes sure that this library works on the file under the catalogue's name: where that was removed or cannot be used, it is
    /// written anew; where it is another catalogue, that is opened. Answers what was done; `nil` if nothing was to be.
    ///
    /// It throws where nothing can be done for now, and may be asked again. Until then nothing is written.
    public func keepInPlace(at now: Timestamp) throws(LibraryError) -> CatalogueNews? {
        guard !isInPlace else { return nil }
        forgetWhatWasRead()
        if isForReading {
            database.close()
            database = try Self.openToRead(in: folder)
            return .replaced(backup: nil)
        }
        guard access(folder, F_OK) == 0 else { throw .takenAway(folder: folder) }
        let news = try takeWhatIsThere(at: now)
        database = try Self.open(in: folder)
        switch news {
        case .replaced: try unchanged { () throws(LibraryError) in try CatalogueRecovery.noteRestored(database, as: now) }
        case .begunAnew: try noteBegunAnew()
        case .restored, .putBack: break
        }
        backupState = BackupState()
        return news
    }

    /// Ends the present connection, and sees to it that the file under the catalogue's name can be opened.
    private func takeWhatIsThere(at now: Timestamp) throws(LibraryError) -> CatalogueNews {
        let recovery = CatalogueRecovery(in: folder)
        // All that we know, unless what was written over the file is seen through the connection: that would contradict itself.
        let ours = OwnCopy(of: database, in: folder)
        // The log holds what was to come to the file as it was. Taken into the file that is there now, it would destroy that.
        let hasOurLog = database.isSameLog
        database.closeLeavingLog()
        if hasOurLog { try recovery.setAside(recovery.path, withFile: false) }
        let condition = try CatalogueCondition.of(recovery.path)
        if condition == .whole { return .replaced(backup: try? ours?.keepAsBackup(at: now)) }
        if let ours {
            let setAside = try recovery.setAside(recovery.path)
            try ours.publish(as: recovery.path)
            return .putBack(condition, setAside: setAside)
        }
        // It is whole after all: only the connection was not.
        return try recovery.run() ?? .replaced(backup: nil)
    }

    private func forgetWhatWasRead() {
        drawn = [:]
        markedPages = [:]
        keptMarkFileIndex = nil
        journalTail = JournalTail()
        latestPoll = nil
    }
}

/// All that one connection knows, in a file of its own that is gone with this object unless it is published.
private final class OwnCopy {
    private let folder: String
    private let path: String

    /// `nil` where it cannot be made, or would not be whole.
    init?(of database: Database, in folder: String) {
        guard !database.isClosed else { return nil }
        self.folder = folder
        path = "\(folder)/\(AtomicFile.temporaryPrefix)catalogue-\(getpid())"
        unlink(path)
        do throws(LibraryError) {
            try database.writeCopy(as: path)
            guard try CatalogueCondition.of(path, thoroughly: true) == .whole else {
                unlink(path)
                return nil
            }
        } catch {
            unlink(path)
            return nil
        }
    }

    deinit { unlink(path) }

    func publish(as target: String) throws(LibraryError) {
        guard rename(path, target) == 0 else { throw .system(SystemError("publish", path: target)) }
    }

    func keepAsBackup(at time: Timestamp) throws(LibraryError) -> String {
        let database = try Database(path: path, access: .readOnly)
        defer { database.close() }
        return try CatalogueBackups(of: folder).make(of: database, at: time).path
    }
}
