package import Catalogue
package import Library
import Model
package import Platform

/// Makes sure that work stops when the catalogue is not the one on the disk any more, and that it is backed up.
@LoopActor
package final class CatalogueWatch {
    private let library: Library
    private let time: any TimeKeeper
    private let log: Log
    /// Whether slow work is done on the loop all the same, as in tests.
    private let isInline: Bool
    private let ending: AgentEnding
    /// Leaves the library when its catalogue is not in its place any more; then the agent has to begin anew.
    private let leave: @LoopActor () throws(LibraryError) -> Void
    /// What happened to a catalogue before it was opened, until a poll has answered in full.
    private var news: String?
    /// Why the last backup failed.
    private var trouble: String?

    package init(
        _ library: Library, time: any TimeKeeper, log: Log, isInline: Bool, ending: AgentEnding,
        leave: @escaping @LoopActor () throws(LibraryError) -> Void
    ) {
        (self.library, self.time, self.log, self.isInline) = (library, time, log, isInline)
        (self.ending, self.leave) = (ending, leave)
    }

    /// Notes that a poll has answered in full: the catalogue lacks nothing any more.
    func noteToldAll() { news = nil }

    private var now: Timestamp { time.timestamp }

    /// Throws if the files of the catalogue are not the ones that the library works on. It has been left then, or will be next time.
    package func checkIsInPlace() throws(LibraryError) {
        guard !ending.hasBegun, !library.isInPlace else { return }
        if !library.isLeft { try leave() }
        throw .replaced(path: library.cataloguePath)
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
            // The catalogue needs the files beside it, too.
            case .removed(let path): path.hasPrefix(library.cataloguePath)
            case .folderRemoved(let path), .rescan(let path): path == library.folder
            }
        return isConcerned && !library.isInPlace
    }

    private var readOnly: String {
        "\(library.folder) is read-only: what is here is shown, but no new chart, change or mark is kept; the agent resumes automatically when the disk is writable again"
    }

    /// The present problems with the catalogue.
    package var complaints: [String] {
        let unkept =
            library.fullDisk.map { $0 + "; the agent goes on by itself after the next poll that finds room" }
            ?? (library.isOnlyInMemory ? readOnly : nil)
        return [unkept, news, trouble].compactMap(\.self)
    }
}
