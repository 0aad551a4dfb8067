import Agent
package import CommandLine
import Model
import Readiness

extension ReadinessVerdict {
    /// Prints the verdict, and what is missing and why.
    package func print(on output: Output, agent: AgentAnswer) {
        let width = output.terminal.width.map { min($0, 100) }
        for line in WrappedText.lines(headline.printable, width: width) {
            output.result(output.paint(line, isReady ? .green : .red, on: .results))
        }
        if let clockDoubt {
            for line in WrappedText.lines(clockDoubt, width: width) { output.result(output.paint(line, .yellow, on: .results)) }
        }
        for plan in report.plans { Self.print(plan, isOnly: report.plans.count == 1, width: width, on: output) }
        output.result("")
        if report.plans.contains(where: \.needsWork) || report.doubt?.remedy == .work {
            for line in WrappedText.lines(agent.prospect, width: width) { output.result(line) }
        }
        for file in report.strayMarks {
            for line in WrappedText.lines(
                "Not understood, so nobody knows which chart it is for: \(file.path) \(file.fault)".printable, width: width)
            {
                output.result(line)
            }
        }
        for sentence in report.unseenMarks {
            for line in WrappedText.lines("Not shown: \(sentence)".printable, width: width) { output.result(line) }
        }
        for folder in report.otherMarkFolders {
            for line in WrappedText.lines("\(folder.subject) \(folder.message)".printable, width: width) { output.result(line) }
        }
        for line in WrappedText.lines(asOf, width: width) { output.result(line) }
        if let failingPolls {
            for line in WrappedText.lines(failingPolls.printable, width: width) { output.result(output.paint(line, .yellow, on: .results)) }
        }
    }

    private static func print(_ plan: ReadinessReport.Plan, isOnly: Bool, width: Int?, on output: Output) {
        let charts = plan.charts.filter { !$0.lacks.isEmpty || !$0.notes.isEmpty }
        let isOdd = !plan.lacks.isEmpty || !plan.notes.isEmpty || !charts.isEmpty
        guard isOdd || !isOnly else { return }
        output.result("")
        if !isOnly { output.result(output.paint(plan.heading.printable, .bold, on: .results) + (plan.isReady ? "  ready" : "")) }
        func list(_ lacks: [ReadinessLack], _ notes: [ReadinessNote], indent: String) {
            for lack in lacks { item(lack.advised, "- ", .red, indent) }
            for note in notes { item(note.sentence, "· ", .yellow, indent) }
        }
        func item(_ text: String, _ mark: String, _ style: Style, _ indent: String) {
            let lines = WrappedText.lines(text.printable, width: width, first: indent + mark)
            for line in lines { output.result(output.paint(line, style, on: .results)) }
        }
        list(plan.lacks, plan.notes, indent: "  ")
        for chart in charts {
            output.result("  " + chart.displayName.printable)
            list(chart.lacks, chart.notes, indent: "    ")
        }
    }
}

extension ReadinessReport.Plan {
    /// For example `Sun 22 Nov 10:30 CET  Harvest (plan 678)`.
    var heading: String {
        (plan.mainTime.map(TimeText.minute) ?? "no time yet") + "  \(plan.displayName) (plan \(plan.id))" + (isPinned ? ", pinned" : "")
    }

    /// Whether a sync would fix some of what it lacks.
    var needsWork: Bool { (lacks + charts.flatMap(\.lacks)).contains { $0.remedy == .work } }
}
