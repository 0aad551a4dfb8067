/// What a command prints with `--json`: the number of its form, and what each field says.
///
/// Programs read it, so a field keeps its name and its meaning. New fields may come at any time; whatever would make a reader of
/// the former form misread the present one counts `schema` up.
struct JSONForm: Sendable {
    /// A field by the names that lead to it, as in `plans[].charts[].id`; `*` stands for names that are values themselves.
    struct Field: Sendable {
        let path: String
        let help: String
    }

    let schema: Int
    let fields: [Field]
    /// What is told, beside the reason, where there is no answer.
    let otherwise: [(name: String, value: JSONText)]

    /// `fields` has a line for each field: its path, and what it says.
    init(schema: Int = 1, otherwise: [(name: String, value: JSONText)] = [], _ fields: String) {
        self.init(schema: schema, otherwise: otherwise, fields: Self.read(fields))
    }

    /// The form that has these fields, too.
    func adding(_ more: String) -> JSONForm {
        JSONForm(schema: schema, otherwise: otherwise, fields: fields + Self.read(more))
    }

    private init(schema: Int, otherwise: [(name: String, value: JSONText)], fields: [Field]) {
        self.schema = schema
        self.otherwise = otherwise
        self.fields = fields
    }

    private static func read(_ text: String) -> [Field] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.first.map { Field(path: String($0), help: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "") }
        }
    }

    /// The object `json` with the form's number before all else.
    func answer(_ json: JSONText) -> JSONText {
        guard case .object(let members) = json else { preconditionFailure("what a command prints is an object") }
        return .object([("schema", .integer(schema))] + members)
    }

    /// What is told in an answer's place where there is none.
    func failure(_ message: String) -> JSONText { .object(otherwise + [("error", .text(message))]) }
}

/// The page that lists the fields of what commands print for programs.
struct JSONHelp {
    let command: Command
    /// The names that lead to it, the program's first.
    let names: [String]
    /// Lines are broken before this column.
    let width: Int

    var text: String { ([Self.preface] + parts(command, names)).joined(separator: "\n\n") + "\n" }

    private func parts(_ command: Command, _ names: [String]) -> [String] {
        let own = command.json.map { form in
            "\(names.joined(separator: " ")) --json, schema \(form.schema):\n"
                + HelpText.rows(form.fields.map { ($0.path, $0.help) }, width: width)
        }
        return [own].compactMap(\.self) + command.subcommands.flatMap { parts($0, names + [$0.name]) }
    }

    private static let preface = """
        With --json a command prints one line: an object. Its field 'schema' is the
        version of its form; it goes up when a field changes its meaning or is removed.
        New fields may be added without that. If a command cannot answer, the object has
        'schema' and 'error', the reason in words; ready, status and sync also say
        "ready": false. The exit code is the same as without --json. Only a command
        line that is not understood prints nothing. Times are UTC, as in
        2026-11-22T09:30:00Z, but times within sentences are in this machine's time
        zone; sizes are in bytes, pages count from 1, and null means not known or not
        there.
        """
}
