import Agent
import Catalogue
import Library
import Model
import Platform
import Viewer

/// Tonight's set, as browsers change it.
extension AgentViewing {
    func change(_ request: TonightRequest) async throws(Trouble) {
        let edit: TonightEdit
        switch request.change {
        case .leaveOut(let isLeftOut): edit = .leaveOut(request.item, isLeftOut)
        case .move(let anchor): edit = .move(request.item, after: anchor)
        case .add(let chart, let anchor):
            var added = try item(showing: chart, in: nil, at: nil)
            added.start = request.page
            if let title = request.title?.asShownLine(atMost: ChartPlaces.longestTitle), !title.isEmpty { added.title = title }
            edit = .add(added, after: anchor)
        case .show(let chart):
            var shown: PlanItem?
            if let chart { shown = try item(showing: chart, in: request.plan, at: request.item) }
            shown?.start = request.page
            edit = .show(shown, at: request.item)
        case .remark(let text): edit = .remark(request.item, text)
        case .asPlanned: edit = .asPlanned
        case .read(let key): return try await read(request, in: key)
        }
        try make(edit, in: request.plan, at: request.number)
    }

    private func make(_ edit: TonightEdit, in plan: PlanID, at number: Int) throws(Trouble) {
        switch try agent.change(edit, of: plan, at: number) {
        case .kept: break
        case .overtaken: throw .overtakenTonight
        case .unknownItem: throw .goneTonight
        }
        news.checkPlansSoon()
    }

    /// An item that shows a chart that is here, as another item shows it: in this plan at this item if it is there, else in the plan in
    /// which the viewer would open it.
    private func item(showing chart: AttachmentID, in plan: PlanID?, at item: ItemID?) throws(Trouble) -> PlanItem {
        let plans = try reading { () throws(LibraryError) in try library.plans.showing(chart) }
        guard
            let place = ChartPlace(of: chart, in: plan, item: item, of: plans, now: now)
                ?? ChartPlace(of: chart, in: nil, item: nil, of: plans, now: now)
        else { throw .unknownChart }
        let use = place.attachment.use
        let isHere = try reading { () throws(LibraryError) in
            guard let stored = try library.charts.chart(of: use) else { return false }
            return try library.charts.hasBytes(of: stored.hash)
        }
        guard isHere else { throw Trouble("This chart is not here yet.") }
        var shown = place.item
        (shown.attachments, shown.kind, shown.description, shown.start) = ([place.attachment], "song", nil, nil)
        // A chart that is drawn here stays as it is drawn, although nobody chose a view of its song in this plan.
        shown.song?.isShown = place.attachment.id.song != nil
        if let view = place.attachment.origin?.view {
            if let key = view.key { shown.keyName = key }
            shown.capo = view.capo
        }
        return shown
    }

    /// Has the song of an item read in a key, for this plan alone, or as it was read before. The change is made first: with one that is
    /// refused, no key is kept.
    private func read(_ request: TonightRequest, in key: String?) async throws(Trouble) {
        let (plan, item) = (request.plan, request.item)
        let items = try reading { () throws(LibraryError) in try library.plans.plan(plan)?.items ?? [] }
        guard let place = items.first(where: { $0.id == item }), let song = place.song?.id else { throw .goneTonight }
        let (set, former, views) = try reading { () throws(LibraryError) in
            (try library.plans.tonightSet(of: plan), try library.songs.view(of: song, in: plan), try library.songs.views(in: plan))
        }
        let noted = set?.readings.first { $0.song == song }
        let (edit, back): (TonightEdit, TonightEdit?)
        var view = noted?.former
        if let key {
            (edit, back) = (.read(item, former: former), noted == nil ? .readAsBefore(item) : nil)
            view = views[song] ?? place.usualView
            view?.key = key
        } else {
            (edit, back) = (.readAsBefore(item), noted.map { .read(item, former: $0.former) })
        }
        try make(edit, in: plan, at: request.number)
        guard key != nil || noted != nil else { return }
        do {
            _ = try await read(song, as: view, in: plan, item: item, isEverywhere: false)
        } catch {
            // The song is read as it was. Others may have changed the set meanwhile, which says nothing about this.
            if let back {
                let number = try reading { () throws(LibraryError) in try library.plans.tonightSet(of: plan)?.number ?? 0 }
                try make(back, in: plan, at: number)
            }
            throw error
        }
    }
}

extension Trouble {
    fileprivate static let overtakenTonight = Trouble(.overtaken, "Somebody changed tonight’s set in the meantime. This is how it is now.")
    fileprivate static let goneTonight = Trouble(.gone, "This item is not in tonight’s set any more.")
}
