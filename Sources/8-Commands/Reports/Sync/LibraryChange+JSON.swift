import CommandLine
import Library
package import Model

extension LibraryChange {
    /// For programs: the kind, the ids of what was affected, and the sentence for people.
    package var json: JSONText {
        .object([(name: "kind", value: JSONText.text(kind))] + subjects + [(name: "sentence", value: .text(localSentence))])
    }

    /// A name that never changes.
    private var kind: String {
        switch self {
        case .planAdded: "planAdded"
        case .planMoved: "planMoved"
        case .planShrunk: "planShrunk"
        case .planHeldBack: "planHeldBack"
        case .planShrinkHeldBack: "planShrinkHeldBack"
        case .planGone: "planGone"
        case .planDeclined: "planDeclined"
        case .itemMoved: "itemMoved"
        case .chartAdded: "chartAdded"
        case .chartReplaced: "chartReplaced"
        case .chartRenamed: "chartRenamed"
        case .chartRemoved: "chartRemoved"
        case .layerAdded: "layerAdded"
        case .layerChanged: "layerChanged"
        case .layerDeleted: "layerDeleted"
        case .layerGone: "layerGone"
        case .layerDoubted: "layerDoubted"
        case .chartSetAside: "chartSetAside"
        case .marksOutdated: "marksOutdated"
        case .marksVanished: "marksVanished"
        }
    }

    private var subjects: [(name: String, value: JSONText)] {
        switch self {
        case .planAdded(let plan), .planMoved(let plan, _, _), .planShrunk(let plan, _, _), .planShrinkHeldBack(let plan, _, _),
            .planHeldBack(let plan, _),
            .planGone(let plan), .planDeclined(let plan), .itemMoved(let plan, _, _, _):
            [("plan", .text(plan.id.text))]
        case .chartAdded(let plan, let chart), .chartReplaced(let plan, let chart), .chartRenamed(let plan, let chart, _),
            .chartRemoved(let plan, let chart):
            [("plan", .text(plan.id.text)), ("chart", .text(chart.id.text))]
        case .layerAdded(let layer), .layerChanged(let layer), .layerDeleted(let layer), .layerGone(let layer), .layerDoubted(let layer, _):
            [("chart", .text(layer.attachment.text)), ("layer", .text(layer.id.text))]
        case .chartSetAside(let chart, let path): [("chart", .text(chart.id.text)), ("path", .text(path))]
        case .marksOutdated(let chart, let pages):
            [("chart", .text(chart.id.text)), ("pages", .list(pages.map { .integer($0.number) }))]
        case .marksVanished(let chart, let path, let marks):
            [("chart", chart.map { .text($0.id.text) } ?? .null), ("path", .text(path)), ("marks", .integer(marks))]
        }
    }
}
