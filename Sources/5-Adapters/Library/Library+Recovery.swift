public import Catalogue
import Glibc
public import Model
public import Platform

extension Library {
    /// Returns whether the catalogue is older than its library was, judging by the catalogue's number or by links that it should know.
    func isOlderThanItWas() throws(LibraryError) -> Bool {
        if try !CatalogueGeneration(of: folder).isLast(database) { return true }
        return try storedPoll().map { lastPoll throws(LibraryError) in try links.hasLinksOfLaterTimes(than: lastPoll) } ?? false
    }

    /// Checks whether a catalogue just opened lacks later changes. If it does, stores that as a doubt: those changes then exist
    /// only at the service and in the user's files. `news` is the report of the repair before opening. Returns what to report to
    /// the user.
    func judge(_ news: CatalogueNews?) throws(LibraryError) -> CatalogueNews? {
        switch news {
        case .begunAnew(_, let charts, _):
            try database.set(.begun, to: 0)
            try database.noteBegunAnew(charts: charts)
            try renewGeneration()
        case .putBack: break
        case .restored, .replaced, nil:
            guard try isOlderThanItWas() else { break }
            let regained = try noteOtherCatalogue()
            return news ?? .replaced(regained: regained)
        }
        return news
    }

    /// Notes that this catalogue lacks later changes. The user's choices are copied from the newest backup.
    private func noteOtherCatalogue() throws(LibraryError) -> RegainedChoices? {
        let time = try storedPoll()
        var regained: RegainedChoices?
        try unchanged { () throws(LibraryError) in
            try database.letNothingGo()
            // If a doubt is noted already, as after a backup was restored on purpose, there is nothing to add.
            guard try database.doubt == nil else { return }
            // If the choices cannot be copied, everything else can still be used.
            regained = try? database.regainChoices(in: folder)
            try database.noteRestored(from: time)
        }
        return regained
    }

    /// Gives the catalogue a new number, so that no earlier copy is mistaken for the catalogue.
    func renewGeneration() throws(LibraryError) {
        guard !isForReading, !isOnlyInMemory, isInPlace else { return }
        try unchanged { () throws(LibraryError) in try CatalogueGeneration(of: folder).renew(in: database) }
        changesAtGeneration = database.totalChanges
    }

    /// The doubt about the catalogue until the service has answered again.
    public var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let noted = try database.doubt { return noted }
            // A library that is opened for reading, or only in memory, stores no doubt, so it checks for itself.
            guard isForReading || isOnlyInMemory, try isOlderThanItWas() else { return nil }
            return .restored(from: CatalogueDoubt.plausible(try storedPoll()))
        }
    }
}

/// The catalogue is a file: any program with access to the folder may remove, overwrite or replace it while this process has it open.
extension Library {
    /// `true` if the file under the catalogue's name is the open one and, unless it is only read, intact. Also `true` if the
    /// library is only in memory or was closed for good.
    public var isInPlace: Bool {
        if isEnded { return true }
        guard !database.isClosed, let files = database.files else { return isOnlyInMemory }
        return isForReading ? files.isSameFile : files.areInPlace && !database.isDamaged
    }

    /// Saves the connection's contents as a backup, because the catalogue is no longer in its place. From then on nothing is written, but
    /// reading is still possible; the library has to be closed and opened again. Returns the backup, if there was anything to save.
    ///
    /// Throws if the contents cannot be saved for now; the caller may try again later.
    public func leave(at now: Timestamp) throws(LibraryError) -> CatalogueBackup? {
        guard access(folder, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .takenAway(folder: folder) }
        let backup = try CatalogueRecovery(in: folder).leave(database, at: now)
        isLeft = true
        return backup
    }

    /// Makes a complete, checked backup of the catalogue if one is due: if there is none, or if something has changed since the
    /// last backup, and that backup is at least six hours old or dated in the future. An empty catalogue is not backed up. The work
    /// is done on `side` with a connection of its own, so that nothing has to wait for it.
    @discardableResult
    public func backUpIfDue(at now: Timestamp, on side: SideThread) async throws(LibraryError) -> CatalogueBackup? {
        guard !isForReading, !isOnlyInMemory, !isBackingUp, isInPlace, try backupState.isDue(database, in: folder, at: now) else {
            return nil
        }
        isBackingUp = true
        defer { isBackingUp = false }
        let changes = database.totalChanges
        let apart = backupState.changesApart
        let folder = folder
        let backup = try await side.run { () throws(LibraryError) -> CatalogueBackup in
            let source = try Database(path: CatalogueFile.path(in: folder), access: .readOnly)
            defer { source.close() }
            return try CatalogueBackups(of: folder).make(of: source, at: now)
        }
        backupState.noteBackup(of: changes, apart: apart)
        return backup
    }

    /// Makes a backup after a user's choice while no agent runs, since nothing else would make one. No backup is made of an older
    /// catalogue, which would pass for the newest state, nor of an empty one.
    public nonisolated static func backUpChoices(inLibraryAt folder: String, at now: Timestamp) throws(LibraryError) {
        let source = try CatalogueFile.openToRead(in: folder)
        defer { source.close() }
        guard try source.has("SELECT 1 FROM plans LIMIT 1") else { return }
        if try CatalogueGeneration(of: folder).isLast(source) { try CatalogueBackups(of: folder).make(of: source, at: now) }
    }

    /// All backups, oldest first.
    public nonisolated static func backups(in folder: String) throws(LibraryError) -> [CatalogueBackup] {
        try CatalogueBackups(of: folder).all
    }

    /// Runs `body`, whose changes do not justify a backup.
    func unchanged(_ body: () throws(LibraryError) -> Void) throws(LibraryError) {
        let before = database.totalChanges
        try body()
        backupState.changesApart += database.totalChanges - before
    }

    /// Puts a backup in the catalogue's place; the caller must hold the library's lock. Returns the name under which the old file is kept.
    public nonisolated static func goBack(to backup: CatalogueBackup, in folder: String) throws(LibraryError) -> String? {
        try CatalogueRecovery(in: folder).putBack(backup).setAside
    }
}
