package import Catalogue
package import ImageKeeping
package import Library
import Model
package import Platform

/// Makes sure that the library works on the catalogue that is on disk, and that it is backed up.
@LoopActor
package final class CatalogueWatch {
    private let library: Library
    private let time: any TimeKeeper
    private let log: Log
    /// Whether slow work is done on the loop all the same, as in tests.
    private let isInline: Bool
    private let ending: AgentEnding
    /// Called when the library is gone, or is no longer ours.
    private let takenAway: @LoopActor (LibraryError) -> Void
    /// Called when the library works on another catalogue than before.
    private let replaced: @LoopActor () -> Void
    /// Whether no other agent works on the library; asked when its file has changed.
    private var ownsLibrary: @LoopActor () -> Bool = { true }
    /// What happened to a catalogue that was unusable or replaced, until a poll has answered in full.
    private var news: String?
    /// Why the last backup failed.
    private var trouble: String?

    package init(
        _ library: Library, time: any TimeKeeper, log: Log, isInline: Bool, ending: AgentEnding,
        takenAway: @escaping @LoopActor (LibraryError) -> Void, replaced: @escaping @LoopActor () -> Void
    ) {
        (self.library, self.time, self.log, self.isInline) = (library, time, log, isInline)
        (self.ending, self.takenAway, self.replaced) = (ending, takenAway, replaced)
    }

    /// Sets the function that knows whether no other agent works on the library.
    package func askForLock(_ ownsLibrary: @escaping @LoopActor () -> Bool) { self.ownsLibrary = ownsLibrary }

    /// Notes that a poll has answered in full: nothing is missing any more because of what happened to the catalogue.
    func noteToldAll() { news = nil }

    private var now: Timestamp { time.timestamp }

    /// Makes sure that the library works on the file under its catalogue's name, and has everything found out again that another
    /// catalogue may not know: what is in the mark files, and what the service has.
    package func keepInPlace() throws(LibraryError) {
        guard !ending.hasBegun, !library.isInPlace else { return }
        guard ownsLibrary() else {
            let error = LibraryError.takenAway(folder: library.folder)
            takenAway(error)
            throw error
        }
        do throws(LibraryError) {
            guard let news = try library.keepInPlace(at: now) else { return }
            log.warning("\(news)")
            self.news = "\(news)"
            replaced()
        } catch .takenAway(let folder) {
            takenAway(.takenAway(folder: folder))
            throw .takenAway(folder: folder)
        }
    }

    /// Notes what happened to the catalogue when the library was opened.
    package func noteOpening() {
        guard let news = library.newsAtOpening else { return }
        log.warning("\(news)")
        self.news = "\(news)"
    }

    /// Makes a backup of the catalogue if one is due. A failure is reported, and the backup is tried again the next time.
    package func backUp() async {
        do {
            let backup = try await library.backUpIfDue(at: now, on: SideThread(inline: isInline))
            if let backup { log.debug("the catalogue is backed up as \(backup.path)") }
            self.trouble = nil
        } catch {
            let trouble = "the catalogue could not be backed up; it will be tried again: \(error)"
            if self.trouble != trouble { log.warning(trouble) }
            self.trouble = trouble
        }
    }

    /// Whether an event in the catalogue's folder means that the catalogue is now another one.
    package func isReplaced(by event: FileEvent) -> Bool {
        let isConcerned =
            switch event {
            case .written(let path): path == library.cataloguePath
            // The catalogue cannot do without the files beside it either.
            case .removed(let path): path.hasPrefix(library.cataloguePath)
            case .folderRemoved(let path), .rescan(let path): path == library.folder
            }
        return isConcerned && !library.isInPlace
    }

    private var readOnly: String {
        "\(library.folder) is read-only: what is here is shown, but no new chart, change or mark is kept; the agent resumes automatically when the disk is writable again"
    }

    /// What there is to say about the catalogue.
    package var complaints: [String] {
        let unkept =
            library.fullDisk.map { $0 + "; the agent goes on by itself after the next poll that finds room" }
            ?? (library.isOnlyInMemory ? readOnly : nil)
        let away = library.isInPlace ? nil : "the catalogue file was replaced; it is being checked"
        return [unkept, away, news, trouble].compactMap(\.self)
    }
}
