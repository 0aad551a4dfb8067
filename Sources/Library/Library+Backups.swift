public import Catalogue
public import Model
public import Platform

/// How much of the catalogue is not in any backup yet.
struct BackupState {
    /// How many rows had been changed, by the database's count, when the last backup was made.
    var changesAtBackup = 0
    /// Changed rows that are not worth a backup, such as the time of the last poll.
    var changesApart = 0
    var isFirstLook = true
}

extension Library {
    /// The least time between two backups.
    public nonisolated static var backupInterval: Duration { .seconds(6 * 3600) }

    /// Makes a backup of the catalogue, complete and checked, if something has changed since the last one and that is some hours old.
    /// Otherwise nothing is written. It is made on `side`, over a connection of its own, so that nobody has to wait for it.
    @discardableResult
    public func backUpIfDue(at now: Timestamp, on side: SideThread) async throws(LibraryError) -> CatalogueBackup? {
        guard !isForReading, !isOnlyInMemory, !isBackingUp, isInPlace, try isBackupDue(at: now) else { return nil }
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
        (backupState.changesAtBackup, backupState.changesApart) = (changes, backupState.changesApart - apart)
        backupState.isFirstLook = false
        return backup
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

    private func isBackupDue(at now: Timestamp) throws(LibraryError) -> Bool {
        // A backup with nothing in it would only push out those that have something.
        guard try database.row("SELECT 1 FROM plans LIMIT 1", [], { _ in true }) == true else { return false }
        guard let last = try CatalogueBackups(of: folder).all.last else { return true }
        let age = now - last.madeAt
        // If the last one is from the future, the clock was wrong when it was made.
        guard age < .zero || age >= Self.backupInterval else { return false }
        if database.totalChanges - backupState.changesApart > backupState.changesAtBackup { return true }
        // An earlier process may have changed something and ended before it made a backup.
        guard backupState.isFirstLook else { return false }
        let change = try database.row("SELECT max(at) FROM journal") { $0.time(0) } ?? nil
        // Until there is a backup of that change, every look counts as the first.
        backupState.isFirstLook = change.map { $0 > last.madeAt } ?? false
        return backupState.isFirstLook
    }
}

extension Library {
    /// Puts a backup in the catalogue's place; the caller must hold the library's lock. Answers the name under which the old file is kept.
    public nonisolated static func goBack(to backup: CatalogueBackup, in folder: String) throws(LibraryError) -> String? {
        try CatalogueRecovery(in: folder).putBack(backup)
    }
}
