package import Agent
package import CommandLine
package import Configuration
import Host
package import Model
import Platform

/// What the demo prints when everything is ready.
package enum DemoReport {
    package static func json(_ table: PlanTable, _ tally: Tally, seconds: Double) -> JSONText {
        [
            "plans": .integer(table.plans), "charts": .integer(table.charts), "pages": .integer(table.pages),
            "images": .integer(table.images), "rendered": .integer(tally.rendered), "failed": .integer(tally.failed),
            "seconds": .number((seconds * 1000).rounded() / 1000),
        ]
    }

    package static func print(
        _ table: PlanTable, _ tally: Tally, seconds: Double, _ paths: Paths, home: String, on output: Output
    ) {
        planTable(table).print(on: output)
        let tenths = Int((seconds * 10).rounded())
        output.result("")
        output.result(table.summary(tally) + " in \(tenths / 10).\(tenths % 10) s")
        output.result("")
        // Not a table: on a narrow terminal it would cut off text that is meant to be copied.
        output.result("Page images: \(paths.cache)/pages")
        output.result("Charts:      \(paths.music)")
        guard let chart = table.rows.first(where: { $0.chart != nil }) else { return }
        output.result("")
        output.result("Look at a page:   \(program) page \(chart.attachment.text.shellQuoted) 1 -o page.png --home \(home.shellQuoted)")
        output.result("Change something: \(program) demo edit add-mark riverside-lead-117 1 --home \(home.shellQuoted)")
        output.result("                  A circle on page 1 of 'Down by the Riverside'; 'demo edit' lists other changes.")
    }

    /// Prints the address at which a browser shows everything while the demo runs.
    package static func print(address: String, home: String, on output: Output) {
        output.message("")
        output.message("See all pages in your browser: \(address)")
        output.message("It lets one browser in, within a minute; for another: \(program) open --home \(home.shellQuoted)")
    }

    private static var program: String { CommandLine.arguments[0].shellQuoted }

    private static func planTable(_ table: PlanTable) -> TextTable {
        var text = TextTable(["PLAN", "CHART", "PAGES", "IMAGES", "STATE"], alignments: [.left, .left, .right, .right, .left])
        var former: PlanID?
        for row in table.rows {
            let name =
                row.plan.id == former
                ? ""
                : [row.plan.mainTime.map(TimeText.date), row.plan.displayName].compactMap(
                    \.self
                ).joined(separator: " ")
            former = row.plan.id
            text.add([
                .init(name), .init(row.filename), .init(row.pages == 0 ? "" : "\(row.pages)"),
                .init(row.wanted == 0 ? "" : row.present == row.wanted ? "\(row.wanted)" : "\(row.present)/\(row.wanted)"),
                cell(row.state),
            ])
        }
        return text
    }

    private static func cell(_ state: PlanTable.State) -> TextTable.Cell {
        switch state {
        case .ready: .init("ready", .green)
        case .rendering: .init("not rendered yet", .yellow)
        case .noRoom: .init("not enough room", .red)
        case .notDownloaded: .init("not here", .red)
        case .unreadable(let reason): .init("unreadable: \(reason)", .red)
        case .failed(let reason): .init("failed: \(reason)", .red)
        case .lacking(let sentence): .init("not ready: \(sentence)", .red)
        }
    }
}
