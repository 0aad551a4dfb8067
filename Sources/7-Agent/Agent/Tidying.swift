import Catalogue
import ChartFiles
import ImageKeeping
import Library
import Marks
import Model
import Platform
import Sync

/// Removes plans that are long past, and keeps the folder of links to charts up to date: after each poll that was asked for or brings news,
/// and twice a day. A failure here does the library no harm, so it is logged, and tried again with the next poll.
@LoopActor
final class Tidying {
    private let core: AgentCore
    private let settings: TidySettings
    private let marks: MarkKeeper
    private let hints = Hints()
    private var isTrusted = false
    private var last: Moment?
    /// The warnings already logged about the user's files that are in the way of links, or were saved over charts.
    private var told: Set<String> = []

    /// Plans also become past while nothing else happens.
    private static let rhythm = Duration.seconds(12 * 3600)

    init(_ core: AgentCore, _ settings: TidySettings, marks: MarkKeeper) {
        (self.core, self.settings, self.marks) = (core, settings, marks)
    }

    var isQuiet: Bool { hints.isQuiet }

    func quiet() async { await hints.quiet() }

    /// Makes links at once, and removes what is past when all mark files have been read that are there: charts that they mark are kept.
    func tidy(after outcome: PollOutcome, isRequested: Bool) {
        guard !outcome.isCancelled else { return }
        isTrusted = outcome.isTrusted
        guard isRequested || !outcome.changes.isEmpty || last.map({ core.time.now >= $0 + Self.rhythm }) ?? true else { return }
        link()
        hints.hint { [weak self] in
            await self?.marks.quiet()
            self?.prune()
        }
    }

    private func prune() {
        guard core.remembersFiles else { return }
        do throws(LibraryError) {
            _ = try core.library.prune(
                now: core.now, keptAfter: settings.keptAfter, historyAge: settings.historyAge, isTrusted: isTrusted)
            last = core.time.now
            link()
        } catch {
            core.log.warning("\(error)")
        }
    }

    private func link() {
        guard core.remembersFiles else { return }
        do throws(LibraryError) {
            let links = try core.library.linkCharts(into: settings.music)
            for failure in Set(links.failures.map { LibraryError.system($0).description }).sorted() { core.log.warning(failure) }
            warn(of: links.inTheWay, try core.library.charts.savedCharts())
            for path in links.kept { core.log.info("\(path) stays because a file of yours is beside it; its plan has moved or is over") }
            // The links may show which charts some mark files belong to.
            if !links.made.isEmpty || !links.retargeted.isEmpty { marks.matchAgain() }
        } catch {
            core.log.warning("\(error)")
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
