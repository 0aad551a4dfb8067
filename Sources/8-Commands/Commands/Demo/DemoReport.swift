import Agent
import CommandLine
import Configuration
import Host
import Model
import Platform
import Readiness
import Sync

/// The results of a demo, and where to find them.
struct DemoReport: Answer {
    let table: PlanTable
    let tally: Tally
    let seconds: Double
    let paths: Paths
    let home: String

    static let form = JSONForm<DemoReport>(
        PlanTable.fields.fields(of: \.table) + Tally.fields.fields(of: \.tally) + [.seconds(\.seconds)])

    func print(on output: Output) {
        planTable.print(on: output)
        let tenths = Int((seconds * 10).rounded())
        output.result("")
        output.result(table.summary(tally) + " in \(tenths / 10).\(tenths % 10) s")
        output.result("")
        // These lines are not printed as a table, since a table cuts off text on a narrow terminal, and this text is meant to be copied.
        output.result("Page images: \(paths.cache)/pages")
        output.result("Charts:      \(paths.music)")
        guard let chart = table.rows.first(where: \.isHere)?.chart else { return }
        let program = Self.program
        output.result("")
        output.result("Look at a page:   \(program) why \(chart.attachment.text.shellQuoted) 1 -o page.png --home \(home.shellQuoted)")
        output.result("Change something: \(program) demo edit add-mark riverside-lead-117 1 --home \(home.shellQuoted)")
        output.result("                  A circle on page 1 of 'Down by the Riverside'; 'demo edit' lists other changes.")
    }

    /// Prints the address at which a browser shows everything while the demo runs.
    static func print(address: String, home: String, on output: Output) {
        output.message("")
        output.message("See all pages in your browser: \(address)")
        output.message("It lets one browser in, within a minute; for another: \(program) open --home \(home.shellQuoted)")
    }

    private static var program: String { CommandLine.arguments[0].shellQuoted }

    private var planTable: TextTable {
        var text = TextTable(["PLAN", "CHART", "PAGES", "IMAGES", "STATE"], alignments: [.left, .left, .right, .right, .left])
        var former: PlanID?
        for row in table.rows {
            let (chart, lack) = (row.chart, row.chart.lacks.first)
            let name =
                row.plan.id == former
                ? "" : [row.plan.mainTime.map(TimeText.date), row.plan.displayName].compactMap(\.self).joined(separator: " ")
            former = row.plan.id
            text.add([
                .init(name), .init(chart.filename), .init(chart.pages.map { "\($0)" } ?? ""),
                .init(chart.wanted == 0 ? "" : (chart.present == chart.wanted ? "" : "\(chart.present)/") + "\(chart.wanted)"),
                lack.map { .init($0.sentence, .red) } ?? .init("ready", .green),
            ])
        }
        return text
    }
}
