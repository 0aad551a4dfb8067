public import Catalogue

extension Library {
    /// Whether the catalogue is not the one that was left here, judging by its number, or by links that it ought to know.
    func isOlderThanItWas() throws(LibraryError) -> Bool {
        if try !CatalogueGeneration(of: folder).isLast(database) { return true }
        return try storedPoll().map { lastPoll throws(LibraryError) in try links.hasLinksOfLaterTimes(than: lastPoll) } ?? false
    }

    /// Notes it if the catalogue is not the one that was left here: what came after it is known only to the service and the user's files.
    func judgeGeneration() throws(LibraryError) -> CatalogueNews? {
        try isOlderThanItWas() ? .replaced(backup: nil, regained: try noteOtherCatalogue()) : nil
    }

    /// Notes that this catalogue does not know what came after it. What people chose comes from the newest backup.
    @discardableResult
    func noteOtherCatalogue() throws(LibraryError) -> RegainedChoices? {
        let time = try storedPoll()
        var regained: RegainedChoices?
        try unchanged { () throws(LibraryError) in
            try database.letNothingGo()
            // Somebody who went back to a backup on purpose knows how old it is.
            guard try database.doubt == nil else { return }
            // Without it, all else can still be used.
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

    func noteBegunAnew(charts: Int) throws(LibraryError) {
        try database.run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('begun', 0)")
        try database.noteBegunAnew(charts: charts)
    }
}

extension Library {
    /// What is doubtful about the catalogue until the service has been asked again.
    public var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let noted = try database.doubt { return noted }
            // A library that only reads notes nothing, so it has to look for itself.
            guard isForReading || isOnlyInMemory, try isOlderThanItWas() else { return nil }
            return .restored(from: CatalogueDoubt.told(try storedPoll()))
        }
    }
}
