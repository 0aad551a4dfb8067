public import Catalogue

extension Library {
    /// Whether the catalogue is not the one that was left here, by its number, or by links that it would know.
    func isOlderThanItWas() throws(LibraryError) -> Bool {
        if try !CatalogueGeneration(of: folder).isLast(database) { return true }
        return try storedPoll().map { lastPoll throws(LibraryError) in try links.hasLinksOfLaterTimes(than: lastPoll) } ?? false
    }

    /// Notes where the catalogue is not the one that was left here: what came after it, only the service and the user's files know.
    func judgeGeneration() throws(LibraryError) -> Bool {
        guard try isOlderThanItWas() else { return false }
        // Who went back to a backup knows of when it is.
        if try database.doubt == nil {
            let time = try storedPoll()
            try unchanged { () throws(LibraryError) in try database.noteRestored(from: time) }
        }
        return true
    }

    /// Numbers the catalogue anew, so that no copy of before passes for it.
    func renewGeneration() throws(LibraryError) {
        guard !isForReading, !isOnlyInMemory, isInPlace else { return }
        try unchanged { () throws(LibraryError) in try CatalogueGeneration(of: folder).renew(in: database) }
        changesAtGeneration = database.totalChanges
    }

    func noteBegunAnew(charts: Int) throws(LibraryError) {
        try database.run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('begun', 0)")
        try database.noteBegunAnew(charts: charts)
    }
}

extension Library {
    /// What there is to doubt about the catalogue, for the service was not asked since.
    public var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let noted = try database.doubt { return noted }
            // Whoever only reads notes nothing, and sees the same.
            guard isForReading || isOnlyInMemory, try isOlderThanItWas() else { return nil }
            return .restored(from: CatalogueDoubt.told(try storedPoll()))
        }
    }
}
