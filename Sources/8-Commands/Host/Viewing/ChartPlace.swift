import Freshness
import Model

/// Where a chart stands in a running order.
struct ChartPlace: Hashable {
    /// Another chart of the same running order.
    struct Neighbour: Hashable {
        let chart: AttachmentID
        let item: ItemID
        let title: String
    }

    let attachment: Attachment
    let item: PlanItem
    /// The charts before and after this one, nearest first; empty if no plan was named.
    let before: [Neighbour]
    let after: [Neighbour]

    /// Finds a chart in the named plan, at the named item if it is there; if no plan is named, in the nearest plan that shows it.
    /// `nil` if no plan shows it.
    init?(of chart: AttachmentID, in plan: PlanID?, item: ItemID?, of plans: [PlanContents], now: Timestamp) {
        let wanted = plans.filter { plan == nil || $0.plan.id == plan }
        let coming = wanted.filter { !$0.plan.isPast(at: now) }.sorted { $0.plan.comesBefore($1.plan) }
        let past = wanted.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        for contents in coming + past {
            let all = contents.items.flatMap { item in item.attachments.map { (item: item, attachment: $0) } }
            let places = all.indices.filter { all[$0].attachment.id == chart }
            guard let place = places.first(where: { all[$0].item.id == item }) ?? places.first else { continue }
            let neighbours = all.map { Neighbour(chart: $0.attachment.id, item: $0.item.id, title: $0.item.title) }
            attachment = all[place].attachment
            self.item = all[place].item
            before = plan == nil ? [] : neighbours[..<place].reversed()
            after = plan == nil ? [] : Array(neighbours[(place + 1)...])
            return
        }
        return nil
    }
}
