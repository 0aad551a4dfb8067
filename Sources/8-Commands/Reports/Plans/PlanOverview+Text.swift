import Agent
package import CommandLine
import Library
package import Model
import Readiness

extension PlanOverview {
    /// Prints a table for each plan, and how old the information is.
    package func print(on output: Output) {
        for entry in entries {
            output.result(output.paint(entry.heading.printable, .bold, on: .results))
            for remark in entry.remarks { output.result("  " + output.paint(remark.printable, .yellow, on: .results)) }
            var table = TextTable(alignments: [.left, .left, .right, .left])
            for chart in entry.charts {
                table.add([
                    .init("  " + chart.item), .init(chart.attachment.filename),
                    .init(chart.pages.map { $0 == 1 ? "1 page" : "\($0) pages" } ?? ""), chart.state,
                ])
            }
            let folded = isFull ? [] : entry.contents.leftOut.filter { $0.reason == .notAPDF }
            for file in entry.contents.leftOut where folded.isEmpty || file.reason != .notAPDF {
                table.add([.init("  " + file.item), .init(file.filename, .faint), "", .init("not shown: \(file.reason.words)", .faint)])
            }
            table.print(on: output)
            if !folded.isEmpty { output.result("  " + output.paint(Self.notShown(folded).printable, .faint, on: .results)) }
            output.result("")
        }
        output.result(lastPoll.map { "As of \(TimeWords.local.minute($0))." } ?? "The service has not answered in full yet.")
    }

    /// Recordings and the like are of no use on paper, and a plan may have a hundred.
    private static func notShown(_ files: [LeftOut]) -> String {
        let kinds = files.reduce(into: [:]) { $0[kind(of: $1.filename), default: 0] += 1 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (files.count == 1 ? "" : "\($0.value) ") + $0.key }.joined(
                separator: ", ")
        let count = files.count == 1 ? "1 file that is not a PDF" : "\(files.count) files that are not PDFs"
        return "not shown: \(count) (\(kinds)); '\(woodshed("plans --all"))' names every file"
    }

    /// The end of a file's name; a recording elsewhere has none.
    private static func kind(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "other" }
        let end = name[name.index(after: dot)...]
        return (1...4).contains(end.count) && end.allSatisfy { $0.isLetter || $0.isNumber } ? end.lowercased() : "other"
    }
}

extension PlanOverview.Entry {
    fileprivate var heading: String {
        let plan = contents.plan
        let time = plan.mainTime.map(TimeWords.local.minute) ?? "no time yet"
        return "\(time)  \(plan.displayName)  (plan \(plan.id))" + (isComing ? "" : ", not upcoming") + (isPinned ? ", pinned" : "")
    }

    /// What is unusual about the plan, and what to do about it.
    package var remarks: [String] {
        var remarks: [String] = []
        if let heldBack {
            remarks.append("held back: \(ReadinessLack.heldBack(heldBack.reason, plan: contents.plan.id).advised)")
        }
        if let goneSince {
            remarks.append("the service has not listed it since \(TimeWords.local.minute(goneSince)); it is kept until it is past")
        }
        if charts.isEmpty { remarks.append("no charts") }
        for chart in charts where !chart.outdatedMarks.isEmpty {
            remarks.append(
                "\(chart.attachment.filename): marks made on an older version of this chart on \(PageIndex.words(chart.outdatedMarks)); "
                    + "'\(woodshed("layers \(chart.attachment.id)"))' shows whose, '\(woodshed("accept \(chart.attachment.id)"))' accepts them"
            )
        }
        return remarks
    }
}

extension PlanOverview.Chart {
    fileprivate var state: TextTable.Cell {
        if !isHere { return .init("not here", .red) }
        if let unreadable { return .init("unreadable: \(unreadable)", .red) }
        return isOutdated ? .init("here, but the service has a newer one", .yellow) : .init("here", .green)
    }
}

extension LeftOut.Reason {
    /// The reason in plain words.
    package var words: String {
        switch self {
        case .notAPDF: "not a PDF"
        case .notChosen(let rule): "not chosen: \(rule)"
        case .ofNoItem: "not used by any item in this plan"
        case .noPermission: "no permission"
        }
    }
}
