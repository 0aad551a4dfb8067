import Agent
import CommandLine
import Library
package import Model
import Readiness

extension ReadinessVerdict {
    /// For programs.
    package var json: JSONText { .object(members) }

    package var members: [(name: String, value: JSONText)] {
        [
            ("ready", .boolean(isReady)), ("as_of", .time(report.asOf)),
            ("last_poll", .time(report.lastPoll)),
            (
                "failing_polls",
                report.failingPolls.map { ["since": .time($0.since), "message": .text($0.reason)] } ?? .null
            ), ("max_age", maxAge.map { .integer(Int($0.components.seconds)) } ?? .null),
            ("young", .boolean(isYoung)), ("clock_ahead", report.clockAhead.map { .integer(Int($0.components.seconds)) } ?? .null),
            ("thorough", .boolean(report.isThorough)), ("lacks", .list([report.doubt].compactMap { $0?.json })),
            ("plans", .list(report.plans.map(\.json))),
            ("stray_marks", .list(report.strayMarks.map { ["path": .text($0.path), "fault": .text($0.fault)] })),
            (
                "unmatched_marks",
                .list(report.unmatchedMarks.map { ["path": .text($0.path), "names": $0.names.map(JSONText.text) ?? .null] })
            ),
            ("marks_beyond", .list(report.marksBeyond.map(\.json))),
            (
                "marks_on_others",
                .list(
                    report.marksOnOthers.map {
                        [
                            "path": .text($0.path), "attachment": .text($0.attachment.text), "other": .text($0.other.text),
                            "message": .text($0.sentence),
                        ]
                    })
            ),
            ("mark_folders", .list(report.markFolders.map { ["path": .text($0.subject), "message": .text($0.message)] })),
        ]
    }
}

extension ReadinessReport.Plan {
    package var json: JSONText {
        let standing: JSONText =
            switch self.standing {
            case .coming: "coming"
            case .pinned: "pinned"
            case .past: "past"
            case .far: "far"
            }
        return [
            "id": .text(plan.id.text), "name": .text(plan.displayName), "first_time": .time(plan.firstTime),
            "service_time": .time(plan.serviceTime), "standing": standing,
            "pinned": .boolean(isPinned), "ready": .boolean(isReady), "pages": .integer(pages), "lacks": .list(lacks.map(\.json)),
            "notes": .list(notes.map(\.json)), "charts": .list(charts.map(\.json)),
        ]
    }
}

extension ReadinessReport.Chart {
    fileprivate var json: JSONText {
        [
            "id": .text(attachment.text), "filename": .text(filename), "item": .text(item),
            "hash": hash.map { .text($0.digest.hex) } ?? .null, "pages": pages.map(JSONText.integer) ?? .null,
            "images_wanted": .integer(wanted), "images_present": .integer(present), "ready": .boolean(isReady),
            "lacks": .list(lacks.map(\.json)), "notes": .list(notes.map(\.json)),
        ]
    }
}

extension ReadinessLack {
    fileprivate var json: JSONText {
        let advice: JSONText =
            switch remedy {
            case .work: .text(woodshed("sync"))
            case .advice(let text): .text(text)
            case nil: .null
            }
        return [
            "reason": .text(name), "message": .text(sentence), "pages": .list(pages.map { .integer($0.number) }),
            "path": path.map(JSONText.text) ?? .null, "remedy": advice,
        ]
    }

    /// The pages that it concerns.
    private var pages: [PageIndex] {
        switch self {
        case .cannotBeDrawn(let pages, _), .marksCannotBeDrawn(let pages, _, _, _), .notRendered(let pages, _), .damaged(let pages),
            .imagesUnreadable(let pages, _), .contentLost(let pages, _, _):
            pages
        default: []
        }
    }

    private var path: String? {
        switch self {
        case .fileGone(let path), .fileChanged(let path), .fileUnreadable(let path, _), .marksUnreadable(let path, _, _),
            .marksUnread(let path, _), .marksUnsorted(_, let path), .marksUnseen(let path):
            path
        default: nil
        }
    }
}

extension MarksBeyond {
    fileprivate var json: JSONText {
        [
            "chart": .text(attachment.text), "filename": .text(filename), "chart_pages": .integer(chartPages), "layer": .text(layer.text),
            "path": path.map(JSONText.text) ?? .null, "pages": .list(pages.map { .integer($0.number) }), "message": .text(sentence),
        ]
    }
}

extension ReadinessNote {
    fileprivate var json: JSONText {
        [
            "note": .text(name), "message": .text(sentence), "pages": .list(pages.map { .integer($0.number) }),
            "path": path.map(JSONText.text) ?? .null,
        ]
    }
}
