package import Model

/// A catalogue in use whose files are not all in their place any more: what is known of it, and what was done about it so far.
package struct DisplacedCatalogue {
    private let recovery: CatalogueRecovery
    /// Everything that the connection knew.
    private let copy: CatalogueBackup?
    /// Whether the file under the catalogue's name holds what the connection left there; the log holds what comes after that.
    private let isFileOurs: Bool
    private let isLogOurs: Bool
    /// Whether the connection has read something that nobody wrote, because memory or the disk fails.
    private let isDamaged: Bool
    /// What to report, once it is settled; `nil` if nothing was lost and nothing is different.
    package var news: CatalogueNews?
    private var isSettled = false
    package var isOver = false

    /// Saves what `database` knows, while that is still possible. If it is not possible for now, this throws, and the connection remains
    /// the only place that has it. `earlier` is what is still to be reported of a catalogue that this one replaced.
    package init(
        _ database: Database, in folder: String, at now: Timestamp, after earlier: CatalogueNews? = nil
    ) throws(LibraryError) {
        news = earlier
        recovery = CatalogueRecovery(in: folder)
        (isFileOurs, isLogOurs) = (database.files?.holdsWhatWasNoted ?? false, database.files?.isSameLog ?? false)
        isDamaged = database.isDamaged
        copy = isFileOurs && isLogOurs && !isDamaged ? nil : try Self.copy(of: database, in: folder, at: now)
    }

    /// Saves it as an ordinary backup, so that the next process finds it if we are killed. `nil` if nothing is known, or if
    /// what the connection sees is inconsistent because the file was overwritten.
    private static func copy(of database: Database, in folder: String, at now: Timestamp) throws(LibraryError) -> CatalogueBackup? {
        guard !database.isClosed else { return nil }
        do throws(LibraryError) {
            guard try database.knowsSomething else { return nil }
            return try CatalogueBackups(of: folder).make(of: database, at: now)
        } catch {
            guard error.isOfContents else { throw error }
            return nil
        }
    }

    /// Makes sure that the file under the catalogue's name can be opened. Nobody may have it open at this time.
    package mutating func settle() throws(LibraryError) {
        // If what is there could not be opened the last time, somebody may have been at it since.
        let found = try isSettled ? recovery.run() : settled()
        // What is put back lacks what it lacked before, which is still to be reported.
        if case .putBack = found { news = news ?? found } else { news = found ?? news }
        isSettled = true
    }

    private func settled() throws(LibraryError) -> CatalogueNews? {
        // The file and its log belong together. Whatever else happened, everything is in these two.
        if isFileOurs, isLogOurs, !isDamaged { return nil }
        if isFileOurs, let copy { return .putBack(nil, setAside: try recovery.publish(copy)) }
        if isFileOurs, !isLogOurs { return .cutOff(setAside: try recovery.setAside(recovery.path, withFile: false)) }
        if isFileOurs { return try recovery.run() ?? .cutOff(setAside: nil) }
        // The log continues the file as it was. Applied to the file that is there now, it would destroy that.
        if isLogOurs { try recovery.setAside(recovery.path, withFile: false) }
        let condition = try CatalogueCondition.of(recovery.path)
        if condition == .intact { return .replaced(backup: copy?.path, regained: nil) }
        guard let copy else { return try recovery.run() ?? .replaced(backup: nil, regained: nil) }
        return .putBack(condition, setAside: try recovery.publish(copy))
    }
}
