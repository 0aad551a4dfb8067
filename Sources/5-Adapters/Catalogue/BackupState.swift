package import Model
import Platform

/// How much of the catalogue is not in any backup yet.
package struct BackupState {
    /// How many rows had been changed, by the database's count, when the last backup was made.
    private var changesAtBackup = 0
    /// Changed rows that are not worth a backup, such as the time of the last poll.
    package var changesApart = 0
    private var isFirstLook = true

    package init() {}

    /// The least time between two backups.
    package static let interval: Duration = .seconds(6 * 3600)

    /// Whether a backup of the catalogue that `database` holds, in the library of `folder`, is due.
    package mutating func isDue(_ database: Database, in folder: String, at now: Timestamp) throws(LibraryError) -> Bool {
        // A backup with nothing in it would only push out those that have something.
        guard try database.row("SELECT 1 FROM plans LIMIT 1", [], { _ in true }) == true else { return false }
        guard let last = try CatalogueBackups(of: folder).all.last else { return true }
        let age = now - last.madeAt
        // If the last one is from the future, the clock was wrong when it was made.
        guard age < .zero || age >= Self.interval else { return false }
        if database.totalChanges - changesApart > changesAtBackup { return true }
        // An earlier process may have changed something and ended before it made a backup.
        guard isFirstLook else { return false }
        let change = try database.row("SELECT max(at) FROM journal") { $0.time(0) } ?? nil
        // Until there is a backup of that change, every look counts as the first.
        isFirstLook = change.map { $0 > last.madeAt } ?? false
        return isFirstLook
    }

    /// Notes that a backup has everything up to these changes, `apart` of which were not worth one.
    package mutating func noteBackup(of changes: Int, apart: Int) {
        (changesAtBackup, changesApart, isFirstLook) = (changes, changesApart - apart, false)
    }
}
