import Agent
import CommandLine
import JSON
import Library
import Model
import Readiness

extension ReadinessVerdict {
    /// The JSON of `woodshed ready`.
    static let form = JSONForm<ReadinessVerdict>(
        otherwise: [("ready", false)],
        [
            .init("ready", "whether it is ready, as the exit code says", \.isReady),
            .init("as_of", "when it was checked", \.report.asOf),
            .init("last_poll", "when the service last answered in full", \.report.lastPoll),
            .object(
                "failing_polls", "what polls have met since then; null if the last one was answered in full",
                of: JSONForm<FailingPolls>([
                    .init("since", "when the first of them failed", \.since), .init("message", "what the last of them met", \.reason),
                ])
            ) { $0.report.failingPolls },
            .init("max_age", "how long ago that may be, in seconds", \.maxAge),
            .init("young", "whether it is recent enough", \.isYoung),
            .init("clock_ahead", "by how many seconds this machine's clock seems to be ahead of the service's", \.report.clockAhead),
            .init("thorough", "whether every byte of every image was checked", \.report.isThorough),
            .list("lacks", "why there may be plans that are not known here; it also holds for every known plan", of: ReadinessLack.form) {
                [$0.report.doubt].compactMap(\.self)
            },
            .list("plans", "the plans that were checked", of: ReadinessReport.Plan.form) { $0.report.plans },
            .list(
                "stray_marks", "your mark files that cannot be read, for which the chart is not known",
                of: JSONForm<ReadinessReport.StrayMarks>([
                    .init("path", "the file", \.path), .init("fault", "what is wrong with it", \.fault),
                ])
            ) { $0.report.strayMarks },
            .list(
                "unmatched_marks", "your mark files that belong to no chart here",
                of: JSONForm<ReadinessReport.UnmatchedMarks>([
                    .init("path", "the file", \.path), .init("names", "the PDF or the chart that it refers to", \.names),
                ])
            ) { $0.report.unmatchedMarks },
            .list("marks_beyond", "marks on pages that their chart does not have", of: MarksBeyond.form) { $0.report.marksBeyond },
            .list(
                "marks_on_others", "your mark files for a chart that no plan shows, or for one of two that are alike",
                of: JSONForm<MarksOnAnother>([
                    .init("path", "the file", \.path),
                    .init("attachment", "the id of the chart that it is drawn on", \.attachment.text),
                    .init("other", "the id of the chart that it may be meant for", \.other.text),
                    .init("message", "the same in words", \.sentence),
                ])
            ) { $0.report.marksOnOthers },
            .list(
                "mark_folders", "folders of mark files that cannot be read, or only in part",
                of: JSONForm<Setback>([.init("path", "the folder", \.subject), .init("message", "what is wrong with it", \.message)])
            ) { $0.report.markFolders },
        ])
}

extension ReadinessReport.Plan {
    static let form = JSONForm<Self>([
        .init("id", "the plan's id at the service", \.plan.id.text), .init("name", "what it is called", \.plan.displayName),
        .init("first_time", "its first time, a rehearsal's perhaps", \.plan.firstTime),
        .init("service_time", "its first service", \.plan.serviceTime),
        .init("standing", "coming, pinned, past or far", \.standingName),
        .init("pinned", "whether it is kept ready in any case", \.isPinned),
        .init("ready", "whether nothing is missing from this plan", \.isReady), .init("pages", "how many pages it has", \.pages),
        .list("lacks", "what the plan as a whole is missing", of: ReadinessLack.form) { $0.lacks },
        .list("notes", "what is worth knowing but does not keep it from being ready", of: ReadinessNote.form) { $0.notes },
        .list("charts", "its charts, in the running order", of: ReadinessReport.Chart.form) { $0.charts },
    ])

    private var standingName: String {
        switch standing {
        case .coming: "coming"
        case .pinned: "pinned"
        case .past: "past"
        case .far: "far"
        }
    }
}

extension ReadinessReport.Chart {
    fileprivate static let form = JSONForm<Self>([
        .init("id", "the attachment's id", \.attachment.text), .init("filename", "what the service calls it", \.filename),
        .init("item", "the item that is played from it", \.item),
        .init("hash", "SHA-256 of the file that is here") { $0.hash?.digest.hex }, .init("pages", "how many pages it has", \.pages),
        .init("images_wanted", "how many page images it needs", \.wanted),
        .init("images_present", "how many of them are here and intact", \.present),
        .init("ready", "whether nothing is missing", \.isReady),
        .list("lacks", "same fields as the plan's", of: ReadinessLack.form) { $0.lacks },
        .list("notes", "same fields as the plan's", of: ReadinessNote.form) { $0.notes },
    ])
}

extension ReadinessLack {
    fileprivate static let form = JSONForm<Self>([
        .init("reason", "a fixed name: \(ReadinessLack.Name.allCases.map(\.rawValue).joined(separator: ", "))", \.name),
        .init("message", "the same in words", \.sentence),
        .init("pages", "the pages concerned", \.pages), .init("path", "the file concerned", \.path),
        .init("remedy", "what fixes it", \.remedyInWords),
    ])

    fileprivate var remedyInWords: String? {
        switch row.remedy {
        case .work: woodshed("sync")
        case .advice(let text): text
        case nil: nil
        }
    }

    /// The pages concerned.
    fileprivate var pages: [PageIndex] {
        switch self {
        case .cannotBeDrawn(let pages, _), .marksCannotBeDrawn(let pages, _, _, _), .notRendered(let pages, _), .damaged(let pages),
            .imagesUnreadable(let pages, _), .contentLost(let pages, _, _, _):
            pages
        default: []
        }
    }

    fileprivate var path: String? {
        switch self {
        case .fileGone(let path), .fileChanged(let path), .fileUnreadable(let path, _), .marksUnreadable(let path, _, _),
            .marksUnread(let path, _), .marksUnsorted(_, let path), .marksUnseen(let path):
            path
        default: nil
        }
    }
}

extension ReadinessNote {
    fileprivate static let form = JSONForm<Self>([
        .init("note", "a fixed name: \(ReadinessNote.Name.allCases.map(\.rawValue).joined(separator: ", "))", \.name),
        .init("message", "the same in words", \.advised),
        .init("pages", "the pages concerned", \.pages), .init("path", "the file concerned", \.path),
    ])
}

extension MarksBeyond {
    fileprivate static let form = JSONForm<Self>([
        .init("chart", "the attachment's id", \.attachment.text), .init("filename", "what the service calls it", \.filename),
        .init("chart_pages", "how many pages it has", \.chartPages), .init("layer", "the layer's id", \.layer.text),
        .init("path", "your file, if it comes from one", \.path), .init("pages", "the pages that do not exist", \.pages),
        .init("message", "the same in words", \.sentence),
    ])
}
