import Agent
import Library
import Model
import Platform
import TestSupport

/// A service that is restored to an older state, and the losses that must not follow from that.
extension Simulation {
    /// The library's state at the last check.
    struct Known {
        var charts: [AttachmentID: Timestamp] = [:]
        var layers: [LayerID: Layer] = [:]
        /// The layers that the service once had in a newer state than now.
        var past: Set<LayerID> = []
    }

    /// Somebody makes a backup of the service, or restores the last one. The set of layers stays, because a vanished layer would
    /// look the same as a layer that was never made.
    func backUpOrPutBack() {
        guard let former = backup else {
            trace.note("service: is backed up")
            backup = (service.plans, layers)
            return
        }
        trace.note("service: is put back to its backup")
        service.plans = former.plans
        layers.merge(former.layers) { $1 }
        backup = nil
        tellLayers()
    }

    /// Checks that no chart or layer goes back to an older state, and no such layer loses a mark, unless a person accepted it.
    func checkNothingIsOlder() throws {
        // If the clock is wrong, or the catalogue was ever lost, nothing is compared: an older backup of the catalogue may take its
        // place at any later time.
        guard let life, clockError == .zero, !hasLostCatalogue else { return forgetKnown() }
        var now = Known(past: Set(try life.library.layers.doubts().filter(\.reason.isOfThePast).map(\.layer)))
        for chart in try life.library.plans.allAsPlanned().flatMap(\.attachments) { now.charts[chart.id] = chart.updatedAt }
        for id in Set(layers.values.map(\.attachment)) {
            for layer in try life.library.layers.all(of: AttachmentID(id)) { now.layers[layer.id] = layer }
        }
        // An accepted state becomes visible only with the next answer, which may come much later.
        let accepted = acceptedLayers
        acceptedLayers.formIntersection(try life.library.layers.doubts().map(\.layer))
        defer { known = now }
        guard let known else { return }
        for (id, time) in now.charts.sorted(by: { $0.key < $1.key }) {
            guard let former = known.charts[id], time < former, former < clock.timestamp else { continue }
            complain("attachment \(id) went back from \(former) to \(time), and nobody accepted that")
        }
        for (id, layer) in now.layers.sorted(by: { $0.key < $1.key }) where !accepted.contains(id) {
            guard let former = known.layers[id], former.deletedAt == nil else { continue }
            let lost = layer.deletedAt == nil ? Set(former.marks).subtracting(layer.marks) : Set(former.marks)
            let isOlder = layer.revision < former.revision && !isDeletedSince(former, layer)
            if !lost.isEmpty, isOlder || known.past.contains(id) {
                complain("\(id) lost \(lost.count) marks to an older state, and nobody accepted that")
            }
        }
    }

    /// True if the service deleted the layer after its `former` state. A wrong answer may since have left the revision out, which changes
    /// nothing about a layer that is deleted already.
    private func isDeletedSince(_ former: Layer, _ layer: Layer) -> Bool {
        guard layer.deletedAt != nil, let now = layers["\(layer.id)"] else { return false }
        return now.isDeleted && now.revision > former.revision
    }

    /// Forgets the former states, so that nothing is compared with them.
    func forgetKnown() { (known, knownMarks, tonight) = (nil, [:], [:]) }

    /// A person accepts the service's version of these plans, and the older marks on their charts.
    func accept(_ plans: [PlanID]) throws {
        guard let life else { return }
        for plan in plans { _ = try life.library.accept(plan: plan, at: clock.timestamp) }
        let charts = Set(try life.library.plans.allAsPlanned().filter { plans.contains($0.plan.id) }.flatMap(\.attachments).map(\.id))
        let past = try life.library.layers.doubts().filter { $0.reason.isOfThePast && charts.contains($0.attachment) }
        acceptedLayers.formUnion(past.map(\.layer))
        if !plans.isEmpty { forgetKnown() }
    }

    /// A person reviews everything that is held back as older, and accepts the service's version.
    func acceptWhatIsOlder() async throws {
        guard let life else { return }
        let held = try life.library.plans.heldBack().filter { if case .putBack = $0.reason { true } else { false } }.map(\.plan.id)
        let doubted = Set(try life.library.layers.doubts().filter(\.reason.isOfThePast).map(\.attachment))
        let plans = try life.library.plans.allAsPlanned().filter { plan in
            held.contains(plan.plan.id) || plan.attachments.contains { doubted.contains($0.id) }
        }
        guard !plans.isEmpty else { return }
        trace.note("accept \(plans.map(\.plan.id)), which went back")
        try accept(plans.map(\.plan.id))
        life.noteTold(by: await life.agent.poll())
    }
}
