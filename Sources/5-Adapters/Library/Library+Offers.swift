public import BandLayout
public import Catalogue
public import Model

/// Tonight's sets that others in the band offer.
extension Library {
    /// What others offer for a plan, as it would be here. `heads` are what the band's devices said last, with this one's.
    public func offers(of plan: PlanID, in heads: [BandHead], at now: Timestamp) throws(LibraryError) -> [OfferedTonight] {
        let found = heads.compactMap { head in head.offers.first { $0.plan == plan.everywhere }.map { (head: head, offer: $0) } }
        guard !found.isEmpty, let planned = try plans.asPlanned(plan), !planned.plan.isPast(at: now) else { return [] }
        let own = try database.row("SELECT device FROM band_own") { BandDevice($0.text(0)) }
        let present = try plans.tonightSet(of: plan) ?? TonightSet()
        var offers: [OfferedTonight] = []
        for (head, offer) in found where head.device != own && offers.count < Self.mostOffers {
            var charts: [AttachmentID: PlanItem] = [:]
            for chart in offer.charts { charts[chart] = try item(showing: chart, in: plan) }
            let isOnlyDevice = heads.count { $0.person == head.person } == 1
            let device = head.name.isEmpty ? head.device.text : head.name
            let offered = OfferedTonight(
                offer, from: head.device.text, name: isOnlyDevice ? head.person : "\(head.person) (\(device))", tag: offer.tag,
                in: planned, after: present, finding: charts)
            if let offered { offers.append(offered) }
        }
        return offers
    }

    /// An item of this plan that shows a chart, or else of the latest plan that does.
    private func item(showing chart: AttachmentID, in plan: PlanID) throws(LibraryError) -> PlanItem? {
        let showing = try plans.showing(chart)
        for contents in [showing.first { $0.plan.id == plan }, showing.last].compactMap(\.self) {
            for item in contents.items {
                if let attachment = item.attachments.first(where: { $0.id == chart }) { return item.showing(attachment) }
            }
        }
        return nil
    }

    /// More than anybody chooses from.
    private static let mostOffers = 8
}
