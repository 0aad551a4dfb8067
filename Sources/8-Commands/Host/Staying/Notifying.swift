import Agent
import Catalogue
import CommandLine
import Configuration
import Library
import Model
import Platform
import Readiness
import Sync

/// Notifies the musician once of each important event: immediately in the log, and on the desktop as soon as possible.
///
/// Only past notices are stored. Pending ones are computed each time, so no outdated notice is shown.
@LoopActor
final class Notifying {
    private let agent: Agent
    private let library: Library
    private let settings: Options.Notifications
    private let environment: Environment
    private let clock: any TimeKeeper
    private let log: Log

    /// The setbacks of the last poll, if the service refused the token.
    private var refusal: [Setback]?
    /// Notices that were logged or shown and are not yet recorded in the library.
    private var logged: Set<[String?]> = []
    private var shown: Set<Notice> = []
    /// Problems with the desktop, each logged once.
    private var troubles: Set<String> = []
    /// Fires at the end of the quiet hours if a notice is waiting.
    private let alarm: Alarm
    private var isNotifying = false
    private var isDue = false
    private var isOver = false

    /// How long before its start a plan is reported as not ready: long enough to do something about it.
    private static let notice = Duration.seconds(86400)
    /// The shorter time that applies instead of `notice` while the service has been unreachable for less than an hour. A laptop
    /// that wakes up takes a while to find its network, so this trouble often passes.
    private static let shortNotice = Duration.seconds(6 * 3600)

    init(
        _ agent: Agent, _ library: Library, _ settings: Options.Notifications, environment: Environment, clock: any TimeKeeper, log: Log
    ) {
        (self.agent, self.library, self.settings) = (agent, library, settings)
        (self.environment, self.clock, self.log, alarm) = (environment, clock, log, Alarm(clock))
    }

    func end() {
        isOver = true
        alarm.cancel()
    }

    /// Shows new notices after a poll. Call this once the agent has drawn what the poll brought.
    func notify(after outcome: PollOutcome) async {
        do {
            refusal = outcome.reach == .notAuthorised ? outcome.setbacks : nil
            if outcome.isAnswered { try library.notifications.note(refusalAt: nil) }
        } catch {
            complain("\(error)")
        }
        await notify()
    }

    private func notify() async {
        isDue = true
        guard !isNotifying else { return }
        isNotifying = true
        while isDue, !isOver {
            isDue = false
            do {
                try await show(try await news())
            } catch {
                complain("\(error)")
            }
        }
        isNotifying = false
    }

    /// Notices that are shown together, and a function that records them.
    private struct News {
        let notices: [Notice]
        let remember: @LoopActor () throws(LibraryError) -> Void
    }

    private func show(_ news: [News]) async throws(LibraryError) {
        for notice in news.flatMap(\.notices) where !notice.isLogged && logged.insert(Self.identity(notice)).inserted {
            log.warning("\(notice.title): \(notice.text)")
        }
        alarm.cancel()
        guard !news.isEmpty else { return }
        let desktop = settings.isEnabled ? DesktopMessages(environment, clock: clock) : nil
        if desktop != nil,
            let rest = settings.quietHours?.rest(at: LocalTime.secondOfDay(nanosecondsSinceEpoch: clock.timestamp.nanoseconds))
        {
            alarm.set(in: rest) { [weak self] in spawn { await self?.notify() } }
            return
        }
        for each in news {
            for notice in each.notices where !shown.contains(notice) {
                if let failure = await desktop?.show(notice) {
                    // The desktop may still be starting. The next poll tries again.
                    complain("the desktop cannot show a message: \(failure)")
                    return
                }
                shown.insert(notice)
            }
            try each.remember()
            (logged, shown) = (logged.subtracting(each.notices.map(Self.identity)), shown.subtracting(each.notices))
        }
    }

    private func complain(_ trouble: String) {
        if !isOver, troubles.insert(trouble).inserted { log.warning(trouble) }
    }

    private static func identity(_ notice: Notice) -> [String?] { [notice.title, notice.subject ?? notice.text] }

    // MARK: - The news

    private func news() async throws -> [News] {
        var news: [News] = []
        if let refusal, try !library.notifications.isRefusalKnown {
            news.append(
                News(notices: [.refused(refusal)]) { [library, clock] () throws(LibraryError) in
                    try library.notifications.note(refusalAt: clock.timestamp)
                })
        }
        let now = clock.timestamp
        let plans = try agent.plansKeptReady().filter { !$0.plan.isPast(at: now) }
        let notified = try library.notifications.ofPlans()
        // While the catalogue is in doubt, do not report changes: after a backup was restored, the poll finds changes that the
        // musician already knows.
        if try library.doubt == nil, let changes = try changes(of: plans, notified) { news.append(changes) }
        do {
            let mayPass = agent.offlineSince.map { now - $0 < .seconds(3600) } ?? false
            let soon = mayPass ? Self.shortNotice : Self.notice
            return news + (try await unready(plans.filter { $0.plan.begins(within: soon, of: now) }, notified))
        } catch {
            // Without a renderer, readiness is unknown, but the other notices can be shown.
            complain("\(error)")
            return news
        }
    }

    /// A notice of changes in plans whose charts had all been downloaded before; nil if there are none. Records the plans that
    /// have just become complete, so that only later changes to them count.
    private func changes(of plans: [PlanContents], _ notified: [PlanID: NotificationStore.OfPlan]) throws(LibraryError) -> News? {
        let last = try library.journal.lastNumber
        var changed: [(contents: PlanContents, changes: [LibraryChange])] = []
        var whole: [PlanID] = []
        for contents in plans {
            if let number = notified[contents.plan.id]?.journalNumber {
                let changes = try library.journal.changes(of: contents, after: number)
                if !changes.isEmpty { changed.append((contents, changes)) }
            } else if !contents.attachments.isEmpty, try library.charts.attachmentsToDownload(for: [contents]).isEmpty {
                whole.append(contents.plan.id)
            }
        }
        if !whole.isEmpty { try library.notifications.note(changesOf: whole, upTo: last) }
        var notices = changed.compactMap { Notice.setChanged($0.contents, $0.changes) }
        let replaced = try Notice.replaced(in: changed) { chart throws(LibraryError) in try isMarked(chart) }
        if let replaced { notices.append(replaced) }
        guard !notices.isEmpty else { return nil }
        return News(notices: notices) { [library] () throws(LibraryError) in
            try library.notifications.note(changesOf: changed.map(\.contents.plan.id), upTo: last)
        }
    }

    /// Whether the musician has marks on a chart, in files or in layers at the service.
    private func isMarked(_ chart: AttachmentID) throws(LibraryError) -> Bool {
        let name = try library.service.account?.person.name
        return try library.drawings.layerHeads(of: chart).contains { layer, pages in
            !pages.isEmpty && (LocalFile.path(ofLayer: layer.id) != nil || name != nil && layer.personName == name)
        }
    }

    /// Notices for plans that begin soon and are not ready.
    private func unready(_ plans: [PlanContents], _ notified: [PlanID: NotificationStore.OfPlan]) async throws -> [News] {
        guard !plans.isEmpty else { return [] }
        let age = try library.lastPoll.map { clock.timestamp - $0 }
        let isYoung = age.map { $0 <= ReadinessReport.greatestAge } ?? false
        var news: [News] = []
        for outlook in try await agent.outlook(of: plans) {
            let plan = outlook.contents.plan.id
            let isKnown = notified[plan]?.isUnready ?? false
            if outlook.report.isReady, isYoung {
                if isKnown { try library.notifications.note(plan, isUnready: false) }
            } else if !isKnown {
                news.append(
                    News(notices: [.unready(outlook.report, age: age, of: agent.source)]) { [library] () throws(LibraryError) in
                        try library.notifications.note(plan, isUnready: true)
                    })
            }
        }
        return news
    }
}

extension Plan {
    /// Whether one of the plan's times is still to come and is within `time`.
    fileprivate func begins(within time: Duration, of now: Timestamp) -> Bool {
        [firstTime, serviceTime].compactMap(\.self).contains { $0 > now && $0 <= now + time }
    }
}
