import Agent
import Model

/// What the demo prints when everything is ready.
enum DemoReport {
    static func json(_ table: PlanTable, _ tally: Tally, seconds: Double) -> JSONText {
        [
            "plans": .integer(table.plans), "charts": .integer(table.charts), "pages": .integer(table.pages),
            "images": .integer(table.images), "rendered": .integer(tally.rendered), "failed": .integer(tally.failed),
            "seconds": .number((seconds * 1000).rounded() / 1000),
        ]
    }

    static func print(
        _ table: PlanTable, _ tally: Tally, seconds: Double, _ paths: Paths, home: String, on output: Output
    ) {
        planTable(table).print(on: output)
        let tenths = Int((seconds * 10).rounded())
        output.result("")
        output.result(AgentCommand.summary(table, tally) + " in \(tenths / 10).\(tenths % 10) s")
        output.result("")
        var places = TextTable()
        places.add(["Page images", .init(paths.cache + "/pages")])
        places.add(["Charts", .init(paths.data + "/charts")])
        places.print(on: output)
        guard let chart = table.rows.first(where: { $0.chart != nil }) else { return }
        output.result("")
        var hints = TextTable()
        hints.add(["Look at a page:", .init("woodshed page \(chart.attachment) 1 -o page.png --home \(home)")])
        hints.add(["Change something:", .init("woodshed demo edit list --home \(home)")])
        hints.print(on: output)
    }

    private static func planTable(_ table: PlanTable) -> TextTable {
        var text = TextTable(["PLAN", "CHART", "PAGES", "IMAGES", "STATE"], alignments: [.left, .left, .right, .right, .left])
        var former: PlanID?
        for row in table.rows {
            let name =
                row.plan.id == former ? "" : [row.plan.firstTime?.date, row.plan.displayName].compactMap(\.self).joined(separator: " ")
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
        case .notDownloaded: .init("not here", .red)
        case .unreadable(let reason): .init("unreadable: \(reason)", .red)
        case .failed(let reason): .init("failed: \(reason)", .red)
        }
    }
}
