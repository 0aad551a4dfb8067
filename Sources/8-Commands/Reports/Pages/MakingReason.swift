import Library
package import Model
import Platform

/// Why an image was made, for people and for programs.
package struct MakingReason: Equatable {
    /// A fixed code for programs.
    package let code: String
    /// To be read after "because".
    package let words: String

    /// Puts a cause into words; `plan` and `layer` return what people call them.
    package init(_ cause: ImageCause, plan: (PlanID) -> String, layer: (LayerID) -> String) {
        switch cause {
        case .firstNeeded(let id):
            code = "first-needed"
            words = id.map { "\(plan($0)) needed it, and it had never been made" } ?? "it had never been made"
        case .chartReplaced: (code, words) = ("chart-replaced", "a new version of the chart came")
        case .firstMarks: (code, words) = ("first-marks", "there was no image of this page with marks yet")
        case .marks(let layers):
            code = "marks-changed"
            let changes = (layers ?? []).map { "\(layer($0.layer)) \($0.kind.words)" }
            words = "the marks on this page changed" + (changes.isEmpty ? "" : ": " + changes.joined(separator: ", "))
        case .order: (code, words) = ("marks-reordered", "the marks on this page are drawn in another order")
        case .renderer: (code, words) = ("renderer-changed", "the previous one was drawn by another renderer")
        case .fonts: (code, words) = ("fonts-changed", "the fonts of this machine changed")
        case .size: (code, words) = ("size-changed", "another size was configured")
        case .paper: (code, words) = ("paper-changed", "another paper was configured")
        case .again(let reason): (code, words) = ("again-" + reason.rawValue, "the previous one " + reason.wordsOfItsGoing)
        case .forgotten: (code, words) = ("forgotten", "the previous one was made from something else, which was not recorded")
        }
    }

    /// Why the image in `record` was made; empty if that was not recorded.
    @LoopActor
    static func all(_ record: ImageRecord?, of attachment: AttachmentID, in library: Library) throws(LibraryError) -> [MakingReason] {
        guard let causes = record?.origin?.causes, !causes.isEmpty else { return [] }
        let layers = try library.layers.all(of: attachment)
        let plans = try library.plans.all().map(\.plan)
        return causes.map { cause in
            MakingReason(cause) { id in
                plans.first { $0.id == id }.map { "'\(LibraryChange.PlanReference($0).name(telling: .local))'" }
                    ?? "plan \(id), which is gone by now,"
            } layer: { id in
                if let path = LocalFile.path(ofLayer: id) { return "your file \(path)" }
                return layers.first { $0.id == id }?.displayName ?? "layer \(id)"
            }
        }
    }
}

extension ImageCause.LayerChange.Kind {
    /// To be read after a layer's name.
    fileprivate var words: String {
        switch self {
        case .came: "was added or shown"
        case .changed: "changed"
        case .went: "was removed or hidden"
        }
    }
}

extension MissReason {
    /// To be read after "the previous one".
    fileprivate var wordsOfItsGoing: String {
        switch self {
        case .neverMade: "was never made"
        case .trimmed: "had been removed to stay within the cache's limits"
        case .cleared: "had been removed at your request"
        case .vanished: "had been removed by another program"
        case .corrupt: "was damaged"
        case .rendererChanged: "was drawn by another renderer"
        }
    }
}
