import Catalogue
import ChartFiles
import ImageKeeping
import Library
import Model
import Platform
import Sync

/// Removes plans that are long past, and keeps the folder of links to charts up to date, after each poll that brings news. A failure here
/// does the library no harm, so it is logged, and tried again with the next news or half a day later.
@LoopActor
final class Tidying {
    private let core: AgentCore
    private let settings: TidySettings
    private var last: Moment?
    /// The warnings already logged about the user's files that are in the way of links, or were saved over charts.
    private var told: Set<String> = []

    /// Plans also become past while nothing else happens.
    private static let rhythm = Duration.seconds(12 * 3600)

    init(_ core: AgentCore, _ settings: TidySettings) { (self.core, self.settings) = (core, settings) }

    /// Returns whether links were made or moved.
    func tidy(after outcome: PollOutcome, isRequested: Bool) -> Bool {
        // The catalogue on the disk would know nothing of links that are made now, or of files that are removed.
        guard !outcome.isCancelled, !core.ending.hasBegun, !core.library.isOnlyInMemory else { return false }
        guard isRequested || !outcome.changes.isEmpty || last.map({ core.time.now >= $0 + Self.rhythm }) ?? true else { return false }
        last = core.time.now
        do throws(LibraryError) {
            _ = try core.library.prune(
                now: core.now, keptAfter: settings.keptAfter, historyAge: settings.historyAge, isTrusted: outcome.isTrusted)
            let links = try core.library.linkCharts(into: settings.music)
            for failure in Set(links.failures.map { LibraryError.system($0).description }).sorted() { core.log.warning(failure) }
            warn(of: links.inTheWay, try core.library.charts.savedCharts())
            for path in links.kept { core.log.info("\(path) stays because a file of yours is beside it; its plan has moved or is over") }
            return !links.made.isEmpty || !links.retargeted.isEmpty
        } catch {
            core.log.warning("\(error)")
            return false
        }
    }

    /// Warns of the user's files where links to charts belong, and of PDFs saved over charts; once each, as long as that lasts.
    private func warn(of inTheWay: [String], _ saved: SavedCharts) {
        let warnings =
            inTheWay.filter { !saved.inPlaceOfLinks.contains($0) }.map {
                "\($0) is a file of yours; the chart of that name gets no link until you move it"
            } + saved.news.map { "\($0.found); \($0.remedy)" }
        for warning in warnings where !told.contains(warning) { core.log.warning(warning) }
        told = Set(warnings)
    }
}
