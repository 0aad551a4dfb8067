import Freshness
package import Library
package import Model
package import Platform

/// What the library knows about its plans, for people and programs.
package struct PlanOverview {
    /// One chart of a plan.
    package struct Chart {
        package let item: String
        package let attachment: Attachment
        let isHere: Bool
        /// Whether the service has a newer version.
        let isOutdated: Bool
        /// Nil if they are not counted yet.
        package let pages: Int?
        /// The pages that looked different when their marks were made.
        let outdatedMarks: [PageIndex]
        /// Why it cannot be shown although it is here.
        package let unreadable: String?
    }

    /// One plan, with what is unusual about it.
    package struct Entry {
        let contents: PlanContents
        package let charts: [Chart]
        let isComing: Bool
        /// Whether it is kept whatever its date.
        let isPinned: Bool
        package let heldBack: HeldBackPlan?
        /// Since when the service has not listed it.
        let goneSince: Timestamp?
    }

    package let entries: [Entry]
    /// Whether all plans were asked for, and with them all files that are not shown.
    let isFull: Bool
    /// When the service last answered in full.
    package let lastPoll: Timestamp?

    /// Reads the upcoming and the pinned plans, or all of them.
    @LoopActor
    package init(_ library: Library, all: Bool, ahead: Duration, now: Timestamp) throws(LibraryError) {
        let held = Dictionary(try library.plans.heldBack().map { ($0.plan.id, $0) }) { first, _ in first }
        let gone = try library.plans.gone()
        let pinned = try library.plans.pinned()
        let outdated = Dictionary(grouping: try library.olderMarks.outdatedMarks(), by: \.attachment)
        var entries: [Entry] = []
        for contents in try library.plans.all().sorted(by: { $0.plan.comesBefore($1.plan) }) {
            let isComing = contents.plan.isComing(at: now, ahead: ahead)
            let isPinned = pinned.contains(contents.plan.id)
            guard isComing || isPinned || all else { continue }
            var charts: [Chart] = []
            for item in contents.items {
                for attachment in item.attachments {
                    charts.append(try Chart(attachment, of: item.title, outdated: outdated[attachment.id] ?? [], in: library))
                }
            }
            entries.append(
                Entry(
                    contents: contents, charts: charts, isComing: isComing, isPinned: isPinned,
                    heldBack: held[contents.plan.id], goneSince: gone[contents.plan.id]))
        }
        self.entries = entries
        isFull = all
        lastPoll = try library.lastPoll
    }
}

extension PlanOverview.Chart {
    @LoopActor
    fileprivate init(
        _ attachment: Attachment, of item: String, outdated: [OutdatedMarks], in library: Library
    ) throws(LibraryError) {
        self.item = item
        self.attachment = attachment
        guard let chart = try library.charts.chart(of: attachment.use), try library.charts.hasBytes(of: chart.hash) else {
            (isHere, isOutdated, pages, unreadable, outdatedMarks) = (false, false, nil, nil, [])
            return
        }
        isHere = true
        outdatedMarks = Set(outdated.filter { $0.chart == chart.hash }.flatMap(\.pages)).sorted()
        isOutdated = chart.version != attachment.version
        pages = try library.charts.description(of: chart.hash)?.pages.count
        unreadable = try library.charts.unreadable(chart.hash)?.reason
    }
}
