import JSON
import Model

/// One line with the progress of a command. With `--json`, such lines are printed before the answer.
struct ProgressLine: Hashable, Sendable {
    /// The step that is running, as in "Counting pages".
    let label: String
    let done: Int
    let total: Int
    let unit: ProgressBar.Unit

    private static let form = JSONForm<ProgressLine>([
        .init("step", "what is being done: reading, downloading, counting pages, rendering or exporting") { $0.label.lowercased() },
        .init("done", "how much of this step is done", \.done), .init("total", "how much there is, which may grow", \.total),
        .init("unit", "what is counted: plans, charts, pages or bytes") { line in
            if case .things(let name) = line.unit { name } else { "bytes" }
        },
    ])

    static var rows: [(path: String, help: String)] {
        [("progress", "only in the lines before the last, which have nothing else: how far the command is")]
            + form.rows.map { ("progress.\($0.path)", $0.help) }
    }

    /// The JSON line, with the same `schema` as the answer.
    func json(in answer: any PrintedForm) -> JSONText {
        .object([("schema", .integer(answer.schema)), ("progress", Self.form.json(self))])
    }
}
