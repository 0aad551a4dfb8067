public import Catalogue
public import Model
public import Platform

extension Library {
    /// The least time between two backups.
    public nonisolated static var backupInterval: Duration { BackupState.interval }

    /// Makes a backup of the catalogue, complete and checked, if something has changed since the last one and that is some hours old.
    /// Otherwise nothing is written. It is made on `side`, over a connection of its own, so that nobody has to wait for it.
    @discardableResult
    public func backUpIfDue(at now: Timestamp, on side: SideThread) async throws(LibraryError) -> CatalogueBackup? {
        guard !isForReading, !isOnlyInMemory, !isBackingUp, isInPlace, try backupState.isDue(database, in: folder, at: now) else {
            return nil
        }
        isBackingUp = true
        defer { isBackingUp = false }
        let database = database
        let changes = database.totalChanges
        let apart = backupState.changesApart
        let folder = folder
        let backup = try await side.run { () throws(LibraryError) -> CatalogueBackup in
            let source = try Database(path: CatalogueFile.path(in: folder), access: .readOnly)
            defer { source.close() }
            return try CatalogueBackups(of: folder).make(of: source, at: now)
        }
        // Of a catalogue that was opened meanwhile, other rows were changed.
        guard database === self.database else { return backup }
        backupState.noteBackup(of: changes, apart: apart)
        return backup
    }

    /// Makes one for whoever chose something while no agent does that, since nothing else shows that a backup is due; not of a catalogue
    /// that is older than it was, which would be taken for the newest, nor of one with nothing in it.
    public nonisolated static func backUpChoices(inLibraryAt folder: String, at now: Timestamp) throws(LibraryError) {
        let source = try CatalogueFile.openToRead(in: folder)
        defer { source.close() }
        guard try source.row("SELECT 1 FROM plans LIMIT 1", [], { _ in true }) ?? false else { return }
        if try CatalogueGeneration(of: folder).isLast(source) { try CatalogueBackups(of: folder).make(of: source, at: now) }
    }

    /// The backups that there are, oldest first.
    public nonisolated static func backups(in folder: String) throws(LibraryError) -> [CatalogueBackup] {
        try CatalogueBackups(of: folder).all
    }

    /// Runs changes that are not worth a backup.
    func unchanged(_ body: () throws(LibraryError) -> Void) throws(LibraryError) {
        let before = database.totalChanges
        try body()
        backupState.changesApart += database.totalChanges - before
    }
}

extension Library {
    /// Puts a backup in the catalogue's place; the caller must hold the library's lock. Answers the name under which the old file is kept.
    public nonisolated static func goBack(to backup: CatalogueBackup, in folder: String) throws(LibraryError) -> String? {
        try CatalogueRecovery(in: folder).putBack(backup)
    }
}
