import CommandLine
import Library
package import Model

extension PlanOverview {
    package var json: JSONText {
        ["plans": .list(entries.map(\.json)), "as_of": .time(lastPoll)]
    }
}

extension PlanOverview.Entry {
    fileprivate var json: JSONText {
        let plan = contents.plan
        let held: JSONText =
            heldBack.map {
                [
                    "charts_kept": .integer($0.chartsKept), "charts_told": .integer($0.chartsTold), "since": .time($0.since),
                    "message": .text($0.reason.sentence(telling: .local)),
                ]
            } ?? .null
        return [
            "id": .text(plan.id.text), "name": .text(plan.displayName), "service_type": .text(plan.serviceTypeName),
            "first_time": .time(plan.firstTime), "service_time": .time(plan.serviceTime),
            "last_time": .time(plan.lastTime), "coming": .boolean(isComing),
            "pinned": .boolean(isPinned), "held_back": held, "gone_since": .time(goneSince), "charts": .list(charts.map(\.json)),
            "left_out": .list(contents.leftOut.map(\.json)),
        ]
    }
}

extension PlanOverview.Chart {
    fileprivate var json: JSONText {
        [
            "id": .text(attachment.id.text), "filename": .text(attachment.filename), "item": .text(item), "here": .boolean(isHere),
            "outdated": .boolean(isOutdated), "pages": pages.map(JSONText.integer) ?? .null,
            "older_marks": .list(outdatedMarks.map { .integer($0.number) }), "unreadable": unreadable.map(JSONText.text) ?? .null,
        ]
    }
}

extension LeftOut {
    fileprivate var json: JSONText {
        ["id": .text(attachment.text), "filename": .text(filename), "item": .text(item), "reason": .text(reason.words)]
    }
}
