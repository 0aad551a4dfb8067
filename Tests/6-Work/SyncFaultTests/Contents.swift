import Library
import Model
import Platform
import StandInSupport

/// The content of the service or of a library: plans, the bytes of their charts, the marks on them.
struct Contents: Equatable {
    var plans: [PlanContents] = []
    var charts: [AttachmentID: ChartHash] = [:]
    var layers: [LayerID: Layer] = [:]

    /// The same, with plans without titles.
    var untitled: Contents {
        var contents = self
        for index in plans.indices { contents.plans[index].plan.title = "" }
        return contents
    }

    init() {}

    /// A library's content.
    @LoopActor
    init(of library: Library) throws {
        for contents in try library.plans.all() {
            plans.append(PlanContents(plan: contents.plan, items: contents.items))
            for attachment in contents.attachments {
                if attachment.id.song == nil { charts[attachment.id] = try library.charts.chart(of: attachment.id)?.hash }
                for layer in try library.layers.all(of: attachment.id) { layers[layer.id] = layer }
            }
        }
    }

    /// Sets each chart to the bytes that the service has for it now. Charts drawn on this laptop are left out, since they have no
    /// bytes there.
    mutating func takeBytes(from demo: StandIn) {
        for attachment in plans.flatMap(\.attachments) where attachment.id.song == nil {
            charts[attachment.id] = demo.bytes(of: attachment.id.text).map { ChartHash(SHA256.digest(of: $0)) }
        }
    }

    /// The parts that belong to neither of two successive states. No part may be a mixture of both.
    func strangers(between before: Contents, and after: Contents) -> [String] {
        var found: [String] = []
        if plans.map(\.plan.id) != before.plans.map(\.plan.id) { found.append("plans \(plans.map(\.plan.id))") }
        for plan in plans where !before.plans.contains(plan) && !after.plans.contains(plan) { found.append("plan \(plan)") }
        for (id, hash) in charts where hash != before.charts[id] && hash != after.charts[id] { found.append("chart \(id): \(hash)") }
        found += before.charts.keys.filter { charts[$0] == nil }.map { "chart \($0) is gone" }
        for (id, layer) in layers where layer != before.layers[id] && layer != after.layers[id] { found.append("layer \(layer)") }
        found += before.layers.keys.filter { layers[$0] == nil }.map { "layer \($0) is gone" }
        return found
    }
}
