package import Catalogue
import Freshness
package import Library
package import Model
package import Platform

/// Everything that the library knows of plans, apart from their charts; makes a plan's report.
package struct PlanFacts {
    let pinned: Set<PlanID>
    private let gone: [PlanID: Timestamp]
    /// A reason why any plan may be incomplete or missing.
    let doubt: ReadinessLack?
    /// The settings that have changed since the service was last polled.
    private let changed: ReadinessLack?
    /// The changed settings for plans that were requested individually since the last poll; an inner `nil` if nothing has changed.
    private let changedAlone: [PlanID: ReadinessLack?]
    private let held: [PlanID: HeldBackPlan]
    private let unread: [PlanID: UnreadPlan]
    private let untold: [PlanID: (since: Timestamp, reason: String)]
    private let meant: [PlanID: String]
    /// Whether the musician has no say in which files are charts.
    private let isChoiceGiven: Bool
    private let leftBehind: [PlanID: [MarksLeftBehind]]
    private let changes: [PlanID: Timestamp]
    private let lastPoll: Timestamp?
    /// The service types for which the present configuration shows charts.
    private let served: Set<ServiceTypeID>

    /// `coming` are the plans that a poll requests, and `asking` the settings that a poll would use now.
    @LoopActor
    package init(_ library: Library, coming: [PlanContents], asking: AskedSettings?) throws(LibraryError) {
        let asked = try library.service.askedSettings
        let changes = asking.flatMap { asked?.differences(from: $0) } ?? []
        changed = changes.isEmpty ? nil : .askedOtherwise(settings: changes)
        changedAlone = try library.service.askedPlans.mapValues { alone in
            let changes = asking.map { (alone.settings ?? AskedSettings([:])).differences(from: $0) } ?? []
            return changes.isEmpty ? nil : .askedOtherwise(settings: changes)
        }
        meant = try library.plans.meantChoices()
        isChoiceGiven = asking?.isChoiceGiven ?? false
        leftBehind = try library.drawings.marksLeftBehind()
        self.changes = try library.plans.planChanges()
        lastPoll = try library.lastPoll
        untold = try library.layers.untoldMarks()
        pinned = try library.plans.pinned()
        gone = try library.plans.gone()
        doubt = try library.doubt.map(ReadinessLack.init)
        held = Dictionary(try library.plans.heldBack().map { ($0.plan.id, $0) }) { first, _ in first }
        unread = Dictionary(try library.plans.unread().map { ($0.plan.id, $0) }) { first, _ in first }
        // Plans that were held back or are gone prove nothing about the present configuration.
        let told = coming.filter { [held, gone] in held[$0.plan.id] == nil && gone[$0.plan.id] == nil }
        served = Set(told.filter { !$0.attachments.isEmpty }.map(\.plan.serviceType))
    }

    /// Makes a plan's report from the facts about its charts. Mark files in `unsorted` and mark folders in `unreadable` may belong
    /// to any chart.
    package func report(
        of contents: PlanContents, _ facts: [ChartUse: ChartFacts], _ ahead: Duration, _ now: Timestamp,
        unsorted: [String] = [], unreadable: [String] = []
    ) -> ReadinessReport.Plan {
        let plan = contents.plan
        let isPinned = pinned.contains(plan.id)
        let standing = Self.standing(of: plan, isPinned: isPinned, ahead, now)
        let charts = contents.items.flatMap { item in
            item.attachments.compactMap { facts[$0.use]?.report(for: item.title) }
        }
        let absent = contents.leftOut.compactMap { file in
            file.reason.lack.map {
                ReadinessReport.Chart(attachment: file.attachment, filename: file.filename, item: file.item, lacks: [$0])
            }
        }
        var lacks: [ReadinessLack] = []
        if let unread = unread[plan.id] { lacks.append(.unread(since: unread.since, because: unread.reason)) }
        if let held = held[plan.id] { lacks.append(.heldBack(held.reason, plan: plan.id)) }
        if let doubt { lacks.append(doubt) }
        // Polling again does not help if the service no longer lists the plan.
        if let changed = changedAlone[plan.id] ?? changed, standing == .coming, gone[plan.id] == nil { lacks.append(changed) }
        if isPinned || standing == .coming {
            lacks += (leftBehind[plan.id] ?? []).map { .marksLeftBehind(chart: $0.filename, of: $0.whose, plan: plan.id) }
        }
        lacks += lacksOfNothing(contents, isNear: isPinned || standing == .coming)
        if let first = unsorted.first, !charts.isEmpty { lacks.append(.marksUnsorted(files: unsorted.count, path: first)) }
        if !charts.isEmpty { lacks += unreadable.map(ReadinessLack.marksUnseen) }
        return ReadinessReport.Plan(
            plan: plan, standing: standing, isPinned: isPinned, charts: charts + absent, lacks: lacks,
            notes: notes(of: contents, standing, isEmptyWithReason: lacks.contains { $0.isAboutNothing }))
    }

    /// Returns whether the plan has stayed unchanged at the service for an hour. For a plan that the service no longer lists, the
    /// hour must have passed before it vanished from the list.
    private func isOld(_ plan: PlanID) -> Bool {
        guard let change = changes[plan], let lastPoll else { return false }
        return min(lastPoll, gone[plan] ?? lastPoll) - change >= .seconds(3600)
    }

    /// Everything suspicious about a plan without charts. A plan whose PDFs are all left out by the user's rules is not suspicious
    /// if it is old and another plan of its service type has charts, if the user accepted that with the present rules, or if the rules
    /// are those of this machine.
    private func lacksOfNothing(_ contents: PlanContents, isNear: Bool) -> [ReadinessLack] {
        // What the musician leaves out or adds for tonight says nothing about what the service sent.
        let contents = contents.asPlanned
        guard contents.attachments.isEmpty, held[contents.plan.id] == nil, unread[contents.plan.id] == nil else { return [] }
        // The musician's own folder has what they put there, and no rules leave out any of it.
        guard contents.plan.id.source == .service else { return [] }
        var lacks: [ReadinessLack] = []
        // A service may briefly send an empty list, or other names; a list that stays the same for an hour is intended.
        let isNews = isNear && !isOld(contents.plan.id)
        let byChoice = contents.leftOut.count(where: \.isByChoice)
        let isOdd = isNews || !isChoiceGiven && !served.contains(contents.plan.serviceType)
        if byChoice > 0, isOdd, meant[contents.plan.id] != contents.rules {
            lacks.append(.nothingChosen(files: byChoice, rule: contents.rules, plan: contents.plan.id))
        }
        let homeless = contents.leftOut.count(where: \.isContradiction)
        if homeless > 0 { lacks.append(.nothingHangs(files: homeless)) }
        let songs = contents.items.count { $0.kind == "song" }
        if contents.leftOut.isEmpty, isNews { lacks.append(.nothingListed(songs: songs)) }
        return lacks
    }

    private static func standing(of plan: Plan, isPinned: Bool, _ ahead: Duration, _ now: Timestamp) -> ReadinessReport.Standing {
        if plan.isComing(at: now, ahead: ahead) { return .coming }
        if isPinned { return .pinned }
        return plan.isPast(at: now) ? .past : .far
    }

    private func notes(
        of contents: PlanContents, _ standing: ReadinessReport.Standing, isEmptyWithReason: Bool
    ) -> [ReadinessNote] {
        var notes: [ReadinessNote] = []
        if contents.attachments.isEmpty, !isEmptyWithReason { notes.append(.noCharts) }
        let other = Set(contents.leftOut.filter { $0.reason == .notAPDF }.map(\.item))
        let songs = contents.items.filter { $0.attachments.isEmpty && other.contains($0.title) }.map(\.title)
        if !songs.isEmpty, !contents.attachments.isEmpty { notes.append(.songsWithoutPDF(songs)) }
        let unknown = contents.leftOut.filter(\.isOfUnknown).map(\.filename)
        if !unknown.isEmpty { notes.append(.filesOfUnknown(unknown)) }
        if let gone = gone[contents.plan.id] { notes.append(.gone(since: gone, from: contents.plan.id.owner)) }
        if let untold = untold[contents.plan.id] { notes.append(.marksUntold(since: untold.since, because: untold.reason)) }
        if contents.tonight?.isUnreadable == true { notes.append(.tonightUnreadable) }
        if let words = contents.tonight?.words { notes.append(.tonight(words)) }
        switch standing {
        case .past: notes.append(.past)
        case .far: notes.append(.far)
        case .coming, .pinned: break
        }
        return notes
    }
}

extension ReadinessLack {
    fileprivate init(_ doubt: CatalogueDoubt) {
        self =
            switch doubt {
            case .restored(let time): .restored(from: time)
            case .begunAnew(let charts): .begunAnew(charts: charts)
            }
    }

    /// Whether this lack explains why a plan shows nothing.
    fileprivate var isAboutNothing: Bool {
        switch self {
        case .nothingChosen, .nothingHangs, .nothingListed, .unread: true
        default: false
        }
    }
}
