public import Catalogue
public import Model
public import Platform

/// How much is in the catalogue that is in no backup.
struct BackupState {
    /// Rows that were changed, by the database's count, when the last backup was made.
    var changesAtBackup = 0
    /// Changed rows that are worth none: that the service was asked once more.
    var changesApart = 0
    var isFirstLook = true
    var isUnderWay = false
}

extension Library {
    /// How far apart backups are at least.
    public nonisolated static var backupInterval: Duration { .seconds(6 * 3600) }

    /// Keeps a copy of the catalogue, whole and checked, if something has changed since the last one and that is some hours old.
    /// Else nothing is written. It is made on `side`, from a connection of its own, so that nobody waits for it.
    @discardableResult
    public func backUpIfDue(at now: Timestamp, on side: SideThread) async throws(LibraryError) -> CatalogueBackup? {
        guard !isForReading, !isOnlyInMemory, !backupState.isUnderWay, isInPlace, try isBackupDue(at: now) else { return nil }
        backupState.isUnderWay = true
        defer { backupState.isUnderWay = false }
        let changes = database.totalChanges
        let apart = backupState.changesApart
        let folder = folder
        let backup = try await side.run { () throws(LibraryError) -> CatalogueBackup in
            let source = try Database(path: CatalogueFile.path(in: folder), access: .readOnly)
            defer { source.close() }
            return try CatalogueBackups(of: folder).make(of: source, at: now)
        }
        (backupState.changesAtBackup, backupState.changesApart) = (changes, backupState.changesApart - apart)
        backupState.isFirstLook = false
        return backup
    }

    /// The backups that there are, the oldest first.
    public nonisolated static func backups(in folder: String) throws(LibraryError) -> [CatalogueBackup] {
        try CatalogueBackups(of: folder).all
    }

    /// Runs what changes nothing that a backup would be worth.
    func unchanged(_ body: () throws(LibraryError) -> Void) throws(LibraryError) {
        let before = database.totalChanges
        try body()
        backupState.changesApart += database.totalChanges - before
    }

    private func isBackupDue(at now: Timestamp) throws(LibraryError) -> Bool {
        // With nothing in it, it would only push out those that have something.
        guard try database.row("SELECT 1 FROM plans LIMIT 1", [], { _ in true }) == true else { return false }
        guard let last = try CatalogueBackups(of: folder).all.last else { return true }
        let age = now - last.madeAt
        // One of a time to come was made by a clock that was wrong.
        guard age < .zero || age >= Self.backupInterval else { return false }
        if database.totalChanges - backupState.changesApart > backupState.changesAtBackup { return true }
        // What a process before us has changed and did not come to keep.
        guard backupState.isFirstLook else { return false }
        backupState.isFirstLook = false
        let change = try database.row("SELECT max(at) FROM journal") { $0.time(0) } ?? nil
        return change.map { $0 > last.madeAt } ?? false
    }
}

extension Library {
    /// Puts a backup in the catalogue's place, for whoever holds the library's lock. Answers under which name what was there is kept.
    public nonisolated static func goBack(to backup: CatalogueBackup, in folder: String) throws(LibraryError) -> String? {
        try CatalogueRecovery(in: folder).putBack(backup)
    }
}
