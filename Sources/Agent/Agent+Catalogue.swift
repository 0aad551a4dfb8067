import Library
import PageCache
import Platform

extension Agent {
    /// Makes sure that the library works on the file under its catalogue's name, and finds out anew what another one may not know:
    /// what is in the files of marks, and what the service has.
    func keepCatalogue() throws(LibraryError) {
        guard !isStopping, !parts.library.isInPlace else { return }
        guard ownsLibrary() else {
            let error = LibraryError.takenAway(folder: parts.library.folder)
            onTakenAway?(error)
            throw error
        }
        do throws(LibraryError) {
            guard let news = try parts.library.keepInPlace(at: now) else { return }
            parts.log.warning("\(news)")
            catalogueNews = "\(news)"
            markKeeper.look()
            markKeeper.matchAgain()
            pollClock?.hurry()
        } catch .takenAway(let folder) {
            onTakenAway?(.takenAway(folder: folder))
            throw .takenAway(folder: folder)
        }
    }

    /// Takes note of what became of the catalogue when the library was opened.
    public func noteOpening() {
        guard let news = parts.library.newsAtOpening else { return }
        parts.log.warning("\(news)")
        catalogueNews = "\(news)"
    }

    /// Keeps a copy of the catalogue if one is due. What does not work is told, and tried again the next time.
    public func backUpCatalogue() async {
        do {
            let backup = try await parts.library.backUpIfDue(at: now, on: SideThread(inline: parts.cache.side.isInline))
            if let backup { parts.log.debug("the catalogue is backed up as \(backup.path)") }
            backupTrouble = nil
        } catch {
            let trouble = "the catalogue could not be backed up, and will be at the next occasion: \(error)"
            if backupTrouble != trouble { parts.log.warning(trouble) }
            backupTrouble = trouble
        }
    }

    /// Follows news of the folder that the catalogue is in.
    func followCatalogue(_ event: FileEvent) {
        let isConcerned =
            switch event {
            case .written(let path): path == parts.library.cataloguePath
            // Nor can it do without the files beside it.
            case .removed(let path): path.hasPrefix(parts.library.cataloguePath)
            case .folderRemoved(let path), .rescan(let path): path == parts.library.folder
            }
        if isConcerned, !parts.library.isInPlace { reconcile() }
    }

    /// What is to be said of the catalogue.
    var catalogueComplaints: [String] {
        let unkept =
            parts.library.isOnlyInMemory
            ? "\(parts.library.folder) cannot be written: what is here is shown, but no chart, change or mark that comes now is kept; when the disk can be written again, the agent goes on by itself"
            : nil
        let away = parts.library.isInPlace ? nil : "the catalogue is not the file that it was; it is looked at anew"
        return [unkept, away, catalogueNews, backupTrouble].compactMap(\.self)
    }
}
