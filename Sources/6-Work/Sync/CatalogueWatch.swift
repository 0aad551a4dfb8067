package import Catalogue
package import Library
import Model
package import Platform

/// Stops the work if the catalogue in use is no longer the one on the disk, and makes backups of the catalogue.
@LoopActor
package final class CatalogueWatch {
    private let library: Library
    private let time: any TimeKeeper
    private let log: Log
    /// Whether slow work is done on the loop, as in tests.
    private let isInline: Bool
    private let ending: AgentEnding
    /// Leaves the library if its catalogue is no longer in its place; the agent must then start again.
    private let leave: @LoopActor () throws(LibraryError) -> Void
    /// What happened to the catalogue before it was opened; `nil` once a poll was complete.
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

    /// Records that a poll was complete: the catalogue lacks nothing any more.
    func noteToldAll() { news = nil }

    private var now: Timestamp { time.timestamp }

    /// Throws if the catalogue's files are no longer those that the library has open. The library is then left; if that fails,
    /// the next call tries again.
    package func checkIsInPlace() throws(LibraryError) {
        guard !ending.hasBegun, !library.isInPlace else { return }
        if !library.isLeft { try leave() }
        throw .replaced(path: library.cataloguePath)
    }

    /// Records what happened to the catalogue before the library was opened.
    package func noteOpening() {
        guard let news = library.newsAtOpening else { return }
        log.warning("\(news)")
        self.news = "\(news)"
    }

    /// Makes a backup of the catalogue if the last one is too old. A failure is reported; the next call tries again.
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

    /// Whether an event in the catalogue's folder means that another catalogue has taken its place.
    package func isReplaced(by event: FileEvent) -> Bool {
        let isConcerned =
            switch event {
            case .written(let path): path == library.cataloguePath
            // The catalogue also needs its companion files, whose paths begin with its own.
            case .removed(let path): path.hasPrefix(library.cataloguePath)
            case .folderRemoved(let path), .rescan(let path): path == library.folder
            }
        return isConcerned && !library.isInPlace
    }

    private var readOnly: String {
        "\(library.folder) is read-only: what is here is shown, but no new chart, change or mark is kept; the agent goes on by itself when the disk can be written again"
    }

    /// Why nothing new is kept; `nil` while all is.
    package var unkept: String? {
        library.fullDisk.map { $0 + "; the agent goes on by itself once there is room" } ?? (library.isOnlyInMemory ? readOnly : nil)
    }

    /// The present problems with the catalogue.
    package var complaints: [String] {
        [unkept, news, trouble].compactMap(\.self)
    }
}
