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
        var number = request.number
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
        case .read(let key):
            edit = try await read(request, in: key)
            // The set may have been changed while the song was drawn. This change says nothing about what it was made on.
            number = try reading { () throws(LibraryError) in try library.plans.tonightSet(of: request.plan)?.number ?? 0 }
        }
        switch try agent.change(edit, of: request.plan, at: number) {
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

    /// Has the song of an item read in a key, for this plan alone, or as it was read before. Returns the change to note.
    private func read(_ request: TonightRequest, in key: String?) async throws(Trouble) -> TonightEdit {
        let (plan, item) = (request.plan, request.item)
        let (set, items) = try reading { () throws(LibraryError) in
            (try library.plans.tonightSet(of: plan) ?? TonightSet(), try library.plans.plan(plan)?.items ?? [])
        }
        guard set.number == request.number else { throw .overtakenTonight }
        guard let place = items.first(where: { $0.id == item }), let song = place.song?.id else { throw .goneTonight }
        let noted = set.readings.first { $0.song == song }
        let (former, views) = try reading { () throws(LibraryError) in
            (try library.songs.view(of: song, in: plan), try library.songs.views(in: plan))
        }
        guard let key else {
            if let noted { _ = try await read(song, as: noted.former, in: plan, item: item, isEverywhere: false) }
            return .readAsBefore(item)
        }
        var view = views[song] ?? place.usualView
        view.key = key
        _ = try await read(song, as: view, in: plan, item: item, isEverywhere: false)
        return .read(item, former: former)
    }
}

extension Trouble {
    fileprivate static let overtakenTonight = Trouble(.overtaken, "Somebody changed tonight’s set in the meantime. This is how it is now.")
    fileprivate static let goneTonight = Trouble(.gone, "This item is not in tonight’s set any more.")
}
