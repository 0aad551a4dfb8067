import Agent
import CommandLine
import Model
import Readiness

extension Status {
    /// The whole report, line by line, for `width` columns. With `rows`, it is for a screen of so many that cannot be scrolled: what
    /// needs attention comes first and takes up at most half of it.
    package func lines(width: Int?, rows: Int? = nil, isColored: Bool) -> [String] {
        func paint(_ text: String, _ style: Style) -> String { isColored ? style.applied(to: text) : text }
        func wrapped(_ text: String, first: String = "", style: Style? = nil) -> [String] {
            WrappedText.lines(text.printable, width: width.map { min($0, 100) }, first: first).map { line in
                style.map { paint(line, $0) } ?? line
            }
        }
        var lines = wrapped(verdict.nextHeadline, style: verdict.isNextReady ? .green : .red)
        var attention = problems.flatMap { wrapped($0, first: "  - ") }
        if let rows, attention.count > max(rows / 2 - 3, 1) {
            let shown = max(rows / 2 - 4, 0)
            attention = attention.prefix(shown) + ["  … and \(attention.count - shown) more lines"]
        }
        if !attention.isEmpty { attention = ["", paint("Needs attention:", .bold)] + attention }
        if rows != nil { lines += attention }
        for plan in report.plans {
            lines += ["", paint(DisplayWidth.cut(plan.heading.printable, to: width ?? .max), .bold)]
            lines += plan.lacks.flatMap { wrapped($0.sentence, first: "  ! ", style: .yellow) }
            if !plan.charts.isEmpty {
                lines += table(of: plan.charts).lines(width: width, colored: isColored)
            } else if plan.unread == nil {
                lines.append(paint("  no charts", .yellow))
            }
        }
        lines.append("")
        for (name, text) in facts {
            lines += wrapped(text, first: name + String(repeating: " ", count: 11 - name.count))
        }
        return rows == nil ? lines + attention : lines
    }

    private func table(of charts: [ReadinessReport.Chart]) -> TextTable {
        var table = TextTable(alignments: [.left, .left, .right, .left])
        for chart in charts {
            table.add([
                .init(chart.isReady ? "  ✓" : "  ✗", chart.isReady ? .green : .red), .init(chart.displayName),
                .init(chart.pages.map { $0.counted("page") } ?? ""), .init(chart.state, chart.isReady ? .green : .red),
            ])
        }
        return table
    }

    /// Everything about the state of things besides the plans.
    private var facts: [(name: String, text: String)] {
        var facts: [(String, String)] = [("Service", service)]
        switch agent {
        case .absent: facts.append(("Agent", "not running; '\(woodshed("agent"))' starts it, '\(woodshed("sync"))' does its work once"))
        case .silent(let process, _): facts.append(("Agent", "running" + (process.map { " (process \($0))" } ?? "")))
        case .told(let agent): facts += agent.facts(names: names)
        }
        facts.append(("Cache", "\(cache.size) of \(cache.limit), \(cache.images.counted("image")); \(cache.free) free on its disk"))
        return facts
    }

    private var service: String {
        let asOf = report.asOf
        var parts = [
            report.age.map { $0 < .seconds(60) ? "answered in full just now" : "answered in full \(TimeText.span($0)) ago" }
                ?? "has never answered in full"
        ]
        if let polls = agent.report?.polls {
            if polls.isRunning {
                parts.append(
                    polls.downloads > 0
                        ? "being polled, \(polls.downloaded) of \(polls.downloads.counted("chart")) fetched" : "being polled")
                if let wait = polls.wait { parts.append(wait.words) }
            } else if polls.reach == .offline {
                parts.append("cannot be reached")
            } else if polls.reach == .notAuthorised {
                parts.append(polls.refusal)
            }
            if let place = polls.noMarksAt { parts.append("has no marks of others at \(place)") }
            if let next = polls.next, !polls.isRunning {
                parts.append(next > asOf ? "next poll in \(TimeText.span(next - asOf))" : "next poll now")
            }
        }
        return parts.joined(separator: "; ")
    }
}

extension AgentReport.Polls {
    /// How often the service has refused the token, and what to do about it.
    fileprivate var refusal: String {
        guard let refusedTimes, refusedTimes > 1, let refusedSince else { return "refused the token once" }
        return """
            has refused the token \(refusedTimes) times since \(TimeText.minute(refusedSince)): create a new one in your account \
            there and put it in the old one's place; it is picked up automatically
            """
    }
}

extension ReadinessReport.Chart {
    /// In a few words, for a column.
    fileprivate var state: String {
        guard let lack = lacks.first else {
            guard let note = notes.first else { return "ready" }
            switch note {
            case .formerImages: return "ready, being redrawn"
            case .layersGone: return "ready, marks no longer listed"
            case .marksBeyond: return "ready, marks on pages it lacks"
            case .marksLeftOut, .moreMarksLeftOut: return "ready, some marks not drawn"
            case .marksHidden: return "ready, marks hidden"
            case .marksVanished: return "ready, marks vanished"
            case .copyLeftOut: return "ready, copy left out"
            case .olderMarks: return "ready, check your marks"
            case .damageAccepted: return "ready, damage accepted"
            case .linkLeftBehind: return "ready, link out of date"
            case .marksUntold, .gone, .past, .far, .noCharts, .songsWithoutPDF: return "ready"
            }
        }
        let more = lacks.count > 1 ? " and \(lacks.count - 1) more" : ""
        if case .notRendered = lack { return "\(present) of \(wanted.counted("image"))" + more }
        if case .layerDoubted = lack { return "others' marks unclear" + more }
        return lack.name.split(separator: "-").joined(separator: " ") + more
    }
}
