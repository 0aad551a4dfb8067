import Agent
import CommandLine
import Library
import Model
import Readiness
import Sync

/// Everything that `woodshed status` shows.
struct Status: Answer {
    let verdict: ReadinessVerdict
    let cache: CacheState
    let agent: AgentAnswer
    /// The names of charts, since the agent identifies charts by their hash.
    let names: [ChartHash: String]
    /// Files that the user's programs saved over charts.
    var saved = SavedCharts()
    /// A message if the disk is full. It is shown only without an agent's report, since an agent reports a full disk itself.
    var fullDisk: String?

    var report: ReadinessReport { verdict.report }

    /// Everything that is wrong, with its remedy, a line each, the worst first.
    var problems: [String] {
        var problems: [String] = []
        func add(_ problem: String) { if !problems.contains(problem) { problems.append(problem) } }
        // A problem that many charts share gets a single line here, since the line of each chart in the table shows the problem, too.
        func addOnce(_ setbacks: [Setback]) { for setback in Setback.folded(setbacks) { add("\(setback)") } }
        if let doubt = verdict.clockDoubt { add(doubt) }
        if let fullDisk, agent.report == nil { add(fullDisk) }
        // List the age of the last full answer only if no failure that explains this age is listed.
        let setbacks = agent.report?.polls.setbacks ?? []
        let isExplained = report.failingPolls != nil || setbacks.contains(where: \.isOfService)
        if !verdict.isYoung, !isExplained {
            add(verdict.lastAnswer)
        }
        if let failing = verdict.failingPolls, setbacks.isEmpty { add(failing) }
        if report.plans.isEmpty, let doubt = report.doubt { add("\(doubt.advised); run '\(woodshed("sync"))'") }
        addOnce(
            report.plans.flatMap { plan in
                plan.lacks.map { Setback(plan.plan.displayName, $0.advised) }
                    // Leave out work that merely remains to be done, since the chart's own line in the table shows it.
                    + plan.charts.flatMap { chart in
                        chart.lacks.filter { $0.row.kind != .turn && !$0.isOfRoom }.map { Setback(chart.displayName, $0.advised) }
                    }
            })
        // A lack of room is no matter of one chart.
        let shortage = report.lacks.first(where: \.isOfRoom)
        if let shortage { add(shortage.advised) }
        for file in report.strayMarks { add("your marks, for an unknown chart: \(file.path) \(file.fault)") }
        for sentence in report.unseenMarks { add(sentence) }
        // Leave out folders that the agent reports as missing, since its own problems name them.
        let missing = Set(agent.report?.watching.missing ?? [])
        for folder in report.otherMarkFolders where !missing.contains(folder.subject) { add("\(folder.subject): \(folder.message)") }
        if let agent = agent.report { for problem in agent.problems(besides: report.lacks) { add(problem) } }
        if case .silent(_, let because?) = agent { add("the agent is running but does not answer: \(because)") }
        for news in saved.news { add("\(news.found); \(news.remedy)") }
        for problem in cache.problems(isRoomTold: shortage != nil || agent.report?.room != nil) { add(problem) }
        addOnce(
            report.plans.flatMap { plan in
                plan.notes.filter { $0.row.kind == .attention }.map { Setback(plan.plan.displayName, $0.advised) }
                    + plan.charts.flatMap { chart in
                        chart.notes.filter { $0.row.kind == .attention }.map { Setback(chart.displayName, $0.advised) }
                    }
            })
        return problems
    }
}

extension Status {
    func print(on output: Output) {
        for line in lines(width: output.terminal.width, isColored: output.terminal.hasColor(.results)) { output.result(line) }
    }

    /// The whole report, line by line, for `width` columns. `rows` is the height of a screen that cannot be scrolled. On such a
    /// screen, problems come right after the headline and fill at most half of it, but no less than three lines.
    func lines(width: Int?, rows: Int? = nil, isColored: Bool) -> [String] {
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
            lines += plan.notes.filter { $0.row.kind == .aside && $0 != .noCharts }.flatMap { wrapped($0.sentence, first: "  · ") }
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

    /// Everything about the present state besides the plans.
    private var facts: [(name: String, text: String)] {
        var facts: [(String, String)] = [report.source == .sets ? ("Folders", folders) : ("Service", service)]
        switch agent {
        case .absent: facts.append(("Agent", "not running; '\(woodshed("agent"))' starts it, '\(woodshed("sync"))' does its work once"))
        case .silent(let process, _): facts.append(("Agent", "running" + (process.map { " (process \($0))" } ?? "")))
        case .answered(let agent): facts += agent.facts(names: names)
        }
        facts.append(("Cache", cache.words))
        return facts
    }

    /// How old what is known of the musician's own folders is, if all plans come from them.
    private var folders: String {
        var parts = [report.age.map { $0 < .seconds(60) ? "read just now" : "read \(TimeText.span($0)) ago" } ?? "never read completely"]
        if let polls = agent.report?.polls {
            if polls.isRunning {
                parts.append("being read")
            } else if let next = polls.next {
                parts.append(next > report.asOf ? "read again in \(TimeText.span(next - report.asOf))" : "read again now")
            }
        }
        return parts.joined(separator: "; ")
    }

    private var service: String {
        let asOf = report.asOf
        var parts = [
            report.age.map { $0 < .seconds(60) ? "answered in full just now" : "answered in full \(TimeText.span($0)) ago" }
                ?? (report.doubt == nil ? "has never answered in full" : verdict.unknownAnswer)
        ]
        if let polls = agent.report?.polls {
            if polls.isRunning {
                parts.append(
                    polls.downloads > 0
                        ? "being asked, \(polls.downloaded) of \(polls.downloads.counted("chart")) fetched" : "being asked")
                if let wait = polls.wait { parts.append(wait.words) }
            } else if polls.reach == .offline {
                parts.append("cannot be reached")
            } else if polls.reach == .notAuthorised {
                parts.append(polls.refusal)
            }
            if let place = polls.noMarksAt { parts.append("has no marks of others at \(place)") }
            if let next = polls.next, !polls.isRunning {
                parts.append(next > asOf ? "asked again in \(TimeText.span(next - asOf))" : "asked again now")
            }
        }
        return parts.joined(separator: "; ")
    }
}

extension AgentReport.Polls {
    /// How often the service has refused the token. The remedy is not named here, since it is among the problems.
    fileprivate var refusal: String {
        guard let refused, refused.times > 1 else { return "refused the token once" }
        return "has refused the token \(refused.times) times since \(TimeText.minute(refused.since))"
    }
}

extension ReadinessReport.Chart {
    /// The chart's state in a few words, for a column of a table.
    fileprivate var state: String {
        guard let lack = lacks.first else {
            return "ready" + (notes.first?.row.short.map { ", \($0)" } ?? "")
        }
        let more = lacks.count > 1 ? " and \(lacks.count - 1) more" : ""
        if case .notRendered = lack { return "\(present) of \(wanted.counted("image"))" + more }
        return (lack.row.short ?? lack.name) + more
    }
}

extension AgentReport {
    /// What the agent is doing, a line each with a name. `names` are the names of charts by their hashes.
    func facts(names: [ChartHash: String]) -> [(name: String, text: String)] {
        var facts = [("Agent", "running since \(TimeText.minute(since)) (process \(process))")]
        if let pause {
            facts.append(
                (
                    "Paused",
                    (pause.until.map { "until \(TimeText.minute($0))" } ?? "until you resume it") + "; '\(woodshed("resume"))' ends it"
                ))
        }
        facts.append(("Rendering", rendering.words(names)))
        facts.append(("Watching", watching.trouble == nil ? watching.folders.counted("folder") : "nothing"))
        return facts
    }

    /// Problems and remedies, a line each, without those that `lacks` already covers.
    func problems(besides lacks: [ReadinessLack] = []) -> [String] {
        let named = lacks.contains(where: \.isOfRoom) ? room : nil
        let folders = Set(lacks.compactMap { if case .marksUnseen(let folder) = $0 { folder } else { nil } })
        var problems = polls.setbacks.filter { setback in !lacks.contains { $0.isTold(by: [setback.message]) } }
            .map { "\($0.subject): \($0.message)" }
        if let trouble = watching.trouble { problems.append(trouble) }
        for root in watching.missing where !folders.contains(root) {
            problems.append("\(root) is missing or cannot be read; your marks in it stay as they were")
        }
        for root in watching.scanned { problems.append("\(root) cannot be watched; it is checked once a minute") }
        return problems + marks.filter { !folders.contains($0.subject) }.map { "\($0.subject): \($0.message)" }
            + complaints.filter { $0 != named }
    }
}

extension AgentReport.Rendering {
    fileprivate func words(_ names: [ChartHash: String]) -> String {
        let crew = "\(workers) of \(mostWorkers.counted("worker"))"
        guard waitingPages > 0 || !running.isEmpty else { return "nothing to do; " + (workers == 0 ? "no worker is running" : crew) }
        var text = "\(waitingPages.counted("page")) waiting (\(waitingImages.counted("image"))"
        let lanes = lanes.filter { $0.pages > 0 }
        if lanes.count > 1 {
            text += ": " + lanes.map { "\($0.name) \($0.pages)" }.joined(separator: ", ")
        } else if let lane = lanes.first {
            text += ", \(lane.name)"
        }
        text += "), \(crew)"
        let running = running.map { "\(names[$0.chart] ?? $0.chart.digest.shortHex) \($0.page)" }
        return text + (running.isEmpty ? "" : "; now \(running.joined(separator: ", "))")
    }
}
