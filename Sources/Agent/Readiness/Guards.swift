import Freshness
import Library
import Model
import Platform

/// What the library knows of plans beside their charts, and how a plan is reported with it.
struct Guards {
    let pinned: Set<PlanID>
    private let gone: [PlanID: Timestamp]
    private let restoredFrom: Timestamp?
    private let held: [PlanID: HeldBackPlan]

    @LoopActor
    init(_ library: Library) throws(LibraryError) {
        pinned = try library.pinnedPlans()
        gone = try library.gonePlans()
        restoredFrom = try library.restoredFrom
        held = Dictionary(try library.heldBack().map { ($0.plan.id, $0) }) { first, _ in first }
    }

    /// A plan as it is reported, from what was found of its charts; and of files of marks, `unsorted`, that may be for any of them.
    func report(
        of contents: PlanContents, _ facts: [AttachmentID: ChartFacts], _ ahead: Duration, _ now: Timestamp,
        unsorted: [String] = []
    ) -> ReadinessReport.Plan {
        let plan = contents.plan
        let isPinned = pinned.contains(plan.id)
        let standing = Self.standing(of: plan, isPinned: isPinned, ahead, now)
        let charts = contents.items.flatMap { item in
            item.attachments.compactMap { attachment in
                var facts = facts[attachment.id]
                facts?.item = item.title
                return facts?.report
            }
        }
        let forbidden = contents.leftOut.filter { $0.reason == .noPermission }.map(ReadinessReport.Chart.init(withoutPermission:))
        var lacks: [ReadinessLack] = []
        if let held = held[plan.id] { lacks.append(.heldBack(kept: held.chartsKept, told: held.chartsTold, plan: plan.id)) }
        if let restoredFrom { lacks.append(.restored(from: restoredFrom)) }
        if let first = unsorted.first, !charts.isEmpty { lacks.append(.marksUnsorted(files: unsorted.count, path: first)) }
        return ReadinessReport.Plan(
            plan: plan, standing: standing, isPinned: isPinned, charts: charts + forbidden, lacks: lacks,
            notes: notes(of: contents, standing))
    }

    private static func standing(of plan: Plan, isPinned: Bool, _ ahead: Duration, _ now: Timestamp) -> ReadinessReport.Standing {
        if plan.isComing(at: now, ahead: ahead) { return .coming }
        if isPinned { return .pinned }
        return plan.isPast(at: now) ? .past : .far
    }

    private func notes(of contents: PlanContents, _ standing: ReadinessReport.Standing) -> [ReadinessNote] {
        var notes: [ReadinessNote] = []
        if contents.attachments.isEmpty { notes.append(.noCharts) }
        if let gone = gone[contents.plan.id] { notes.append(.gone(since: gone)) }
        switch standing {
        case .past: notes.append(.past)
        case .far: notes.append(.far)
        case .coming, .pinned: break
        }
        return notes
    }
}

extension ReadinessReport.Chart {
    fileprivate init(withoutPermission left: LeftOut) {
        self.init(attachment: left.attachment, filename: left.filename, item: left.item, lacks: [.noPermission])
    }
}
