import CommandLine
import JSON
import Library
import Model
import Platform

extension LibraryChange {
    /// The kind of change, the ids of the things affected, and the sentence for people.
    static func form(kind: String = "a fixed name, such as chartAdded") -> JSONForm<LibraryChange> {
        JSONForm([
            .init("kind", kind, \.kind), .ifAny("plan", "the plan's id, if any", \.subjects.plan),
            .ifAny("chart", "the attachment's id, if any", \.subjects.chart), .ifAny("layer", "the layer's id, if any", \.subjects.layer),
            .ifAny("path", "the file, if any", \.subjects.path), .ifAny("pages", "the pages, if any", \.subjects.pages),
            .ifAny("marks", "how many marks, if any", \.subjects.marks),
            .init("sentence", "the same in words, with times as they are on this machine", \.localSentence),
        ])
    }

    private struct Subjects {
        var plan: String?
        /// The chart's id. Null for marks whose chart is not known; `nil` for changes that are not about a chart.
        var chart: JSONText?
        var layer: String?
        var path: String?
        var pages: [PageIndex]?
        var marks: Int?
    }

    private var subjects: Subjects {
        switch self {
        case .planAdded(let plan), .planMoved(let plan, _, _), .planShrunk(let plan, _, _), .planShrinkHeldBack(let plan, _, _),
            .planHeldBack(let plan, _), .planGone(let plan), .planDeclined(let plan), .itemMoved(let plan, _, _, _):
            Subjects(plan: plan.id.text)
        case .chartAdded(let plan, let chart), .chartReplaced(let plan, let chart), .chartRenamed(let plan, let chart, _),
            .chartRemoved(let plan, let chart):
            Subjects(plan: plan.id.text, chart: .text(chart.id.text))
        case .layerAdded(let layer), .layerChanged(let layer), .layerDeleted(let layer), .layerGone(let layer), .layerDoubted(let layer, _):
            Subjects(chart: .text(layer.attachment.text), layer: layer.id.text)
        case .layersCame: Subjects()
        case .chartSetAside(let chart, let path): Subjects(chart: .text(chart.id.text), path: path)
        case .marksOutdated(let chart, let pages): Subjects(chart: .text(chart.id.text), pages: pages)
        case .marksVanished(let chart, let path, let marks), .formerMarksDropped(let chart, let path, let marks):
            Subjects(chart: .maybe(chart?.id.text), path: path, marks: marks)
        }
    }

    /// The name of the case, which must never change, since the journal in the catalogue stores it, too.
    private var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
