package import Model

/// A catalogue that was in use and whose files are not all in their place any more: what is known of it, and what came of it so far.
package struct DisplacedCatalogue {
    private let recovery: CatalogueRecovery
    /// All that the connection knew.
    private let copy: CatalogueBackup?
    /// Whether under the catalogue's name there is what the connection left there; the log holds what comes after that.
    private let isFileOurs: Bool
    private let isLogOurs: Bool
    /// Whether the connection has read what nobody has written, be it that its memory or the disk fails.
    private let isDamaged: Bool
    /// What to tell, once it is settled; `nil` where nothing was lost and nothing is different.
    package private(set) var news: CatalogueNews?
    private var isSettled = false
    package var isOver = false

    /// Takes down what `database` knows, while that is to be had. Where it cannot be for now, that is thrown, and the connection is
    /// all there is.
    package init(_ database: Database, in folder: String, at now: Timestamp) throws(LibraryError) {
        recovery = CatalogueRecovery(in: folder)
        (isFileOurs, isLogOurs) = (database.files?.holdsWhatWasNoted ?? false, database.files?.isSameLog ?? false)
        isDamaged = database.isDamaged
        copy = isFileOurs && isLogOurs && !isDamaged ? nil : try Self.copy(of: database, in: folder, at: now)
    }

    /// It is a backup like others, so that it is there for whoever comes next, should we be killed. `nil` where nothing is known, or
    /// what is seen through the connection contradicts itself, for the file was written over.
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

    /// Sees to it that the file under the catalogue's name can be opened; nobody has it open.
    package mutating func settle() throws(LibraryError) {
        guard !isSettled else { return }
        news = try settled()
        isSettled = true
    }

    private func settled() throws(LibraryError) -> CatalogueNews? {
        // The file and its log belong together. Whatever else became of them, all is in the two.
        if isFileOurs, isLogOurs, !isDamaged { return nil }
        if isFileOurs, let copy {
            let setAside = try recovery.setAside(recovery.path)
            try recovery.publish(copy)
            return .putBack(nil, setAside: setAside)
        }
        if isFileOurs, !isLogOurs { return .cutOff(setAside: try recovery.setAside(recovery.path, withFile: false)) }
        if isFileOurs { return try recovery.run() ?? .cutOff(setAside: nil) }
        // The log holds what was to come to the file as it was. Taken into the file that is there now, it would destroy that.
        if isLogOurs { try recovery.setAside(recovery.path, withFile: false) }
        let condition = try CatalogueCondition.of(recovery.path)
        if condition == .whole { return .replaced(backup: copy?.path) }
        guard let copy else { return try recovery.run() ?? .replaced(backup: nil) }
        let setAside = try recovery.setAside(recovery.path)
        try recovery.publish(copy)
        return .putBack(condition, setAside: setAside)
    }
}
