import Catalogue
import ChartFiles
import ImageKeeping
import Library
import Marks
import Model
import Platform
import Sync

/// Removes plans that are long past, and updates the folder of links to charts. This happens after each poll that was requested or
/// brings changes, and after any other poll if the last time was at least twelve hours ago. A failure does no harm to the library,
/// so it is logged, and the next poll tries again.
@LoopActor
final class Tidying {
    private let core: AgentCore
    private let settings: TidySettings
    private let marks: MarkKeeper
    private let hints = Hints()
    private let reach: Reach
    private var isTrusted = false
    private var last: Moment?
    /// The warnings already logged about files of the user that block links, or were saved over charts.
    private var reported: Set<String> = []

    /// Plans become past even while no poll brings changes, so tidying also happens at this interval.
    private static let rhythm = Duration.seconds(12 * 3600)

    init(_ core: AgentCore, _ settings: TidySettings, marks: MarkKeeper) {
        (self.core, self.settings, self.marks) = (core, settings, marks)
        reach = Reach(core.time)
    }

    var isQuiet: Bool { hints.isQuiet }

    func quiet() async { await hints.quiet() }

    /// Makes links immediately, or once the folder answers if it is on a network. Removes past plans after all present mark files
    /// have been read: charts with marks are kept.
    func tidy(after outcome: PollOutcome, isRequested: Bool) {
        // Files of the user beside the links keep plans from being removed. While the folder does not answer, these files are unknown.
        guard !outcome.isCancelled, !settings.isMusicSilent else { return }
        isTrusted = outcome.isTrusted
        guard isRequested || !outcome.changes.isEmpty || last.map({ core.time.now >= $0 + Self.rhythm }) ?? true else { return }
        let isNear = reach.remote([settings.music]).isEmpty
        if isNear { link() }
        hints.hint { [weak self] in
            if !isNear {
                guard await self?.answers() == true else { return }
                self?.link()
            }
            await self?.marks.quiet()
            if isNear { self?.prune() } else if await self?.answers() == true { self?.prune() }
        }
    }

    /// Whether the folder of links, if it is on a network, answers at present.
    private func answers() async -> Bool { await reach.answers(settings.music, within: .seconds(5)) }

    private func prune() {
        guard core.remembersFiles else { return }
        do throws(LibraryError) {
            _ = try core.library.prune(
                now: core.now, keptAfter: settings.keptAfter, historyAge: settings.historyAge, isTrusted: isTrusted, links: settings.music)
            last = core.time.now
            link()
        } catch {
            core.log.warning("\(error)")
        }
    }

    /// Makes the links anew after the musician has changed what plans show. On a network, the next poll does it.
    func relink() {
        if !settings.isMusicSilent, reach.remote([settings.music]).isEmpty { link() }
    }

    private func link() {
        guard core.remembersFiles else { return }
        do throws(LibraryError) {
            let links = try core.library.linkCharts(into: settings.music)
            for failure in Set(links.failures.map { LibraryError.system($0).description }).sorted() { core.log.warning(failure) }
            warn(of: links.inTheWay, try core.library.charts.savedCharts(in: settings.music))
            for path in links.kept { core.log.info("\(path) stays because a file of yours is beside it; its plan has moved or is over") }
            // The new links may show to which charts some mark files belong.
            if !links.made.isEmpty || !links.retargeted.isEmpty { marks.matchAgain() }
        } catch {
            core.log.warning("\(error)")
        }
    }

    /// Warns of the user's files that block links, and of PDFs saved over charts; once for each, while the problem lasts.
    private func warn(of inTheWay: [String], _ saved: SavedCharts) {
        let warnings =
            inTheWay.filter { !saved.inPlaceOfLinks.contains($0) }.map {
                "\($0) is a file of yours; the chart of that name gets no link until you move it"
            } + saved.news.map { "\($0.found); \($0.remedy)" }
        for warning in warnings where !reported.contains(warning) { core.log.warning(warning) }
        reported = Set(warnings)
    }
}
