import Agent
import BandLayout
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
        case .offer(let isOffered):
            guard agent.playsInBand else { throw Trouble("You play in no band: nobody is offered anything.") }
            edit = .offer(isOffered)
        case .use(let device, let tag): return try await use(device, tag, request)
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
        if case .offer = edit { agent.noteShares() }
        news.checkPlansSoon()
    }

    /// Replaces tonight's set by the one that a device of the band offers, if that is still the one that the page shows. The songs that it
    /// has in other keys are drawn one after another.
    private func use(_ device: String, _ tag: String, _ request: TonightRequest) async throws(Trouble) {
        guard let offer = try offers(of: request.plan, bandWords()).first(where: { $0.from == device }) else {
            throw Trouble(.gone, "This order is not offered any more.")
        }
        guard offer.tag == tag else {
            throw Trouble(.overtaken, "\(offer.name) has changed this order in the meantime. This is how it is now.")
        }
        switch try agent.change(offer.edit, of: request.plan, at: request.number) {
        case .kept: break
        case .overtaken: throw .overtakenTonight
        case .unknownItem: throw .goneTonight
        }
        var failures: [String] = []
        for (item, key) in offer.keys.sorted(by: { $0.key < $1.key }) {
            do throws(Trouble) {
                let number = try reading { () throws(LibraryError) in try library.plans.tonightSet(of: request.plan)?.number ?? 0 }
                try await change(TonightRequest(.read(key: key), of: item, in: request.plan, at: number))
            } catch {
                failures.append("\(error)")
            }
        }
        news.checkPlansSoon()
        guard failures.isEmpty else {
            throw Trouble("This is \(offer.name)’s order, but not in all of its keys: " + failures.joined(separator: " "))
        }
    }

    /// What others in the band offer for a plan.
    func offers(of plan: PlanID, _ heads: [BandHead]) throws(Trouble) -> [OfferedTonight] {
        try reading { () throws(LibraryError) in try library.offers(of: plan, in: heads, at: now) }
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
        return place.item.showing(place.attachment)
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
