package import Model

/// What a command prints with `--json`: the version of its form, and what each field means.
///
/// Programs read it, so a field keeps its name and its meaning. New fields may be added at any time; any change that would make
/// a reader of the previous form misunderstand the new one increases `schema`.
package struct JSONForm: Sendable {
    /// A field, by the names that lead to it, as in `plans[].charts[].id`; `*` stands for names that are values themselves.
    package struct Field: Sendable {
        package let path: String
        package let help: String
    }

    package let schema: Int
    package let fields: [Field]
    /// What is printed along with the error if there is no answer.
    package let otherwise: [(name: String, value: JSONText)]

    /// `fields` has a line for each field: its path, and what it means.
    package init(schema: Int = 1, otherwise: [(name: String, value: JSONText)] = [], _ fields: String) {
        self.init(schema: schema, otherwise: otherwise, fields: Self.read(fields))
    }

    /// This form with more fields.
    package func adding(_ more: String) -> JSONForm {
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

    /// The object `json`, with the form's version in front.
    package func answer(_ json: JSONText) -> JSONText {
        guard case .object(let members) = json else { preconditionFailure("what a command prints is an object") }
        return .object([("schema", .integer(schema))] + members)
    }

    /// What is printed instead of an answer if there is none.
    package func failure(_ message: String) -> JSONText { .object(otherwise + [("error", .text(message))]) }
}
