public import Catalogue
import Glibc
public import Model
public import Platform

extension Library {
    /// Returns whether the catalogue is not the last one that was here, judging by its number, or by links that it ought to know.
    func isOlderThanItWas() throws(LibraryError) -> Bool {
        if try !CatalogueGeneration(of: folder).isLast(database) { return true }
        return try storedPoll().map { lastPoll throws(LibraryError) in try links.hasLinksOfLaterTimes(than: lastPoll) } ?? false
    }

    /// Notes what a catalogue that was just opened may lack: later changes are known only to the service and in the user's files. `news` is
    /// what was done before it could be opened. Returns what there is to report.
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

    /// Notes that this catalogue lacks later changes. People's choices are taken from the newest backup.
    private func noteOtherCatalogue() throws(LibraryError) -> RegainedChoices? {
        let time = try storedPoll()
        var regained: RegainedChoices?
        try unchanged { () throws(LibraryError) in
            try database.letNothingGo()
            // A user who went back to a backup on purpose knows how old it is.
            guard try database.doubt == nil else { return }
            // Without them, everything else can still be used.
            regained = try? database.regainChoices(in: folder)
            try database.noteRestored(from: time)
        }
        return regained
    }

    /// Gives the catalogue a new number, so that no earlier copy is mistaken for it.
    func renewGeneration() throws(LibraryError) {
        guard !isForReading, !isOnlyInMemory, isInPlace else { return }
        try unchanged { () throws(LibraryError) in try CatalogueGeneration(of: folder).renew(in: database) }
        changesAtGeneration = database.totalChanges
    }

    /// The doubt about the catalogue until the service has been asked again.
    public var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let noted = try database.doubt { return noted }
            // A library that only reads notes nothing, so it has to look for itself.
            guard isForReading || isOnlyInMemory, try isOlderThanItWas() else { return nil }
            return .restored(from: CatalogueDoubt.plausible(try storedPoll()))
        }
    }
}

/// The catalogue is a file: any program that may write to the folder may remove it, overwrite it or replace it while we have it open.
extension Library {
    /// `true` if writes go to the file under the catalogue's name.
    public var isInPlace: Bool {
        if isEnded { return true }
        guard !database.isClosed, let files = database.files else { return isOnlyInMemory }
        return isForReading ? files.isSameFile : files.areInPlace && !database.isDamaged
    }

    /// Saves the connection's contents as a backup, because the catalogue is not in its place any more, and writes nothing from now on;
    /// reading is still possible. Then the library has to be closed and opened anew. Returns the backup, if there was anything to save.
    ///
    /// Throws if that cannot be done for now, and may be called again.
    public func leave(at now: Timestamp) throws(LibraryError) -> CatalogueBackup? {
        guard access(folder, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { throw .takenAway(folder: folder) }
        let backup = try CatalogueRecovery(in: folder).leave(database, at: now)
        isLeft = true
        return backup
    }

    /// Makes a backup of the catalogue, complete and checked, if something has changed since the last one and that is some hours old.
    /// Otherwise nothing is written. It is made on `side`, over a connection of its own, so that nothing has to wait for it.
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

    /// Makes a backup for a user who chose something while no agent runs, since nothing else shows that one is due; not of an older
    /// catalogue, whose backup would be taken for the newest, nor of an empty one.
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

    /// Runs changes that are not worth a backup.
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
