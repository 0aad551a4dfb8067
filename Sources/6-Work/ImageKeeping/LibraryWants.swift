public import Freshness
public import Library
public import Model
public import Platform

/// The images that the library's plans need in the cache.
@LoopActor
public struct LibraryWants {
    let library: Library
    let render: RenderSettings
    package let ahead: Duration
    private let names = Names()

    @LoopActor
    private final class Names {
        var memory = NameMemory()
    }

    /// Covers the plans in `library` that are pinned or at most `ahead` away, with pages drawn by the settings `render`.
    public init(library: Library, render: RenderSettings, ahead: Duration) {
        self.library = library
        self.render = render
        self.ahead = ahead
    }

    /// The plans in the scope that are kept ready: the coming ones and the pinned ones.
    public func plans(in scope: SyncScope = .all, now: Timestamp) throws(LibraryError) -> [PlanContents] {
        guard case .nextPlan = scope else { return try kept(of: library.plans.all(), in: scope, now: now) }
        // A next plan that has only been listed so far is left out, and no later plan takes its place.
        let unread = Set(try library.plans.onlyListed().map(\.plan.id))
        return try listedPlans(in: scope, now: now).filter { !unread.contains($0.plan.id) }
    }

    /// The plans that `plans` returns, together with those that the service has only listed, which have no items yet.
    public func listedPlans(in scope: SyncScope = .all, now: Timestamp) throws(LibraryError) -> [PlanContents] {
        try kept(of: library.plans.allListed(), in: scope, now: now)
    }

    private func kept(of plans: [PlanContents], in scope: SyncScope, now: Timestamp) throws(LibraryError) -> [PlanContents] {
        let pinned = try library.plans.pinned()
        return scope.narrowed(
            plans.filter { $0.plan.isComing(at: now, ahead: ahead) || pinned.contains($0.plan.id) },
            gone: Set(try library.plans.gone().keys), at: now)
    }

    /// The images of the plans in the scope.
    public func set(
        in scope: SyncScope = .all, by renderer: RendererIdentity, now: Timestamp
    ) throws(LibraryError) -> WantedSet {
        try setAndSnapshot(in: scope, by: renderer, now: now).set
    }

    /// The images of the plans in the scope, and a snapshot of these plans with only the charts that are here.
    package func setAndSnapshot(
        in scope: SyncScope, by renderer: RendererIdentity, now: Timestamp
    ) throws(LibraryError) -> (set: WantedSet, snapshot: LibrarySnapshot) {
        var snapshot = try snapshot(of: plans(in: scope, now: now))
        let set = WantedSet(snapshot, rules: try rules(renderer), now: now, remembering: &names.memory)
        for plan in snapshot.plans.indices { snapshot.plans[plan].charts.removeAll { !$0.isHere } }
        return (set, snapshot)
    }

    /// The images of the library's other plans: those that are past, and those too far away to be kept ready.
    public func past(by renderer: RendererIdentity, now: Timestamp) throws(LibraryError) -> PastImages {
        PastImages(try snapshot(of: library.plans.all()), rules: try rules(renderer), now: now)
    }

    /// The rules that decide which images are wanted, apart from the library's plans.
    public func rules(_ renderer: RendererIdentity) throws(LibraryError) -> WantedSet.Rules {
        WantedSet.Rules(settings: render, renderer: renderer, ahead: ahead, pinned: try library.plans.pinned())
    }

    private func snapshot(of plans: [PlanContents]) throws(LibraryError) -> LibrarySnapshot {
        let drawings = try library.drawings.all()
        let counted = try library.charts.counted()
        var snapshots: [PlanSnapshot] = []
        for contents in plans {
            var charts: [ChartSnapshot] = []
            for attachment in contents.attachments {
                guard let chart = counted[attachment.use] else { continue }
                charts.append(try snapshot(of: attachment.use, chart, drawing: drawings[attachment.id]))
            }
            snapshots.append(PlanSnapshot(plan: contents.plan, charts: charts))
        }
        return LibrarySnapshot(plans: snapshots)
    }

    /// A chart with its marks; `nil` if its pages have not been counted. Its bytes may be gone already while images of it are still kept.
    package func snapshot(of use: ChartUse) throws(LibraryError) -> ChartSnapshot? {
        guard let chart = try library.charts.counted(of: use) else { return nil }
        return try snapshot(of: use, chart, drawing: library.drawings.drawing(of: use.attachment))
    }

    private func snapshot(of use: ChartUse, _ chart: CountedChart, drawing: Digest?) throws(LibraryError) -> ChartSnapshot {
        let drawn = try drawing.map { drawing throws(LibraryError) in
            try library.drawings.readDrawnPages(of: use.attachment, from: drawing)
        }
        return ChartSnapshot(
            attachment: use.attachment, madeFrom: use.madeFrom, hash: chart.hash, isHere: chart.isHere, pageCount: chart.pages,
            needsFonts: chart.needsFonts, marks: drawn?.pages(in: chart.key) ?? [:])
    }
}
