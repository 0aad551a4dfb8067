import CommandLine
package import Model

extension PageStory {
    /// For programs.
    package var json: JSONText {
        let recorded: JSONText =
            record.map {
                [
                    "image": .text($0.name.description), "same": .boolean($0.name == name), "fate": .text($0.event.rawValue),
                    "time": .time($0.at), "renderer": .text($0.renderer),
                ]
            } ?? .null
        return [
            "attachment": .text(chart.attachment.text), "filename": .text(chart.filename), "chart": .text(inputs.chart.digest.hex),
            "chart_file": .text(path), "pages": pages.map { .integer($0.count) } ?? .null, "page": .integer(inputs.page.number),
            "variant": .text(variant.rawValue), "drawn_as": .text(inputs.variant.rawValue), "size": .integer(inputs.size),
            "scaled_from": inputs.scaledFrom.map { .integer($0) } ?? .null, "paper": .text(inputs.paper.description),
            "renderer": .text(inputs.tag.text), "fonts": inputs.fonts.map { .text($0.digest.hex) } ?? .null,
            "marks": inputs.marks.map { .text($0.digest.hex) } ?? .null, "layers": .list(layers.map(\.json)),
            "unread": .list(unread.map { .text($0) }), "not_drawn": .list(leftOut.map { .text($0) }), "news": .list(news.map { .text($0) }),
            "image": .text(file), "condition": .text(conditionName), "last": recorded,
            "missing_because": missReason.map { .text($0.rawValue) } ?? .null, "in_the_way": .list(obstacles.map { .text($0) }),
            "prospect": prospect.map { .text($0) } ?? .null,
            "kept_for": isKept ? .text(useInWords) : .null, "made_again_by": .list(causes.map { .text($0) }),
        ]
    }

    private var isKept: Bool { if case .plan = use { true } else { false } }

    private var conditionName: String {
        switch condition {
        case .intact: "whole"
        case .missing: "missing"
        case .damaged: "damaged"
        case .unreadable: "unreadable"
        }
    }
}

extension PageStory.Entry {
    fileprivate var json: JSONText {
        [
            "name": .text(name), "person": .text(person), "file": file.map { .text($0) } ?? .null, "shown": .boolean(isShown),
            "marks": .integer(marks), "changed_at": .time(changedAt), "older": .boolean(isOutdated),
        ]
    }
}
