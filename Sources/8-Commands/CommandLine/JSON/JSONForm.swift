package import JSON
package import Model

/// The JSON form in which a command prints a `Source`. Each of its `fields` has a name, a meaning and a value, all described in one
/// place.
///
/// Other programs read this JSON, so a field keeps its name and its meaning. New fields may be added at any time. Any change that
/// would make a reader of the old form misunderstand the new one must increase `schema`.
package struct JSONForm<Source>: PrintedForm {
    package let schema: Int
    let fields: [JSONField<Source>]
    package let otherwise: [(name: String, value: JSONText)]
    /// Whether lines with the progress precede the answer.
    private let tellsProgress: Bool

    package init(
        schema: Int = 1, otherwise: [(name: String, value: JSONText)] = [], tellsProgress: Bool = false, _ fields: [JSONField<Source>]
    ) {
        (self.schema, self.otherwise, self.tellsProgress, self.fields) = (schema, otherwise, tellsProgress, fields)
    }

    package var rows: [(path: String, help: String)] { fields.flatMap(\.rows) + (tellsProgress ? ProgressLine.rows : []) }

    /// The JSON object without `schema`.
    package func json(_ source: Source) -> JSONText {
        .object(fields.compactMap { field in field.value(source).map { (name: field.name, value: $0) } })
    }

    /// The JSON object with `schema` as its first field.
    package func answer(_ source: Source) -> JSONText {
        .object(
            [("schema", .integer(schema))] + fields.compactMap { field in field.value(source).map { (name: field.name, value: $0) } })
    }

    /// The fields of this form, for the form of a `Whole` that contains a `Source`. `part` extracts the `Source` from the `Whole`.
    package func fields<Whole>(of part: @escaping @Sendable (Whole) -> Source) -> [JSONField<Whole>] {
        fields.map { field in JSONField(name: field.name, rows: field.rows) { field.value(part($0)) } }
    }
}

/// A `JSONForm` with its source type erased.
package protocol PrintedForm: Sendable {
    var schema: Int { get }
    /// The path, such as `plans[].charts[].id`, and the meaning of each field that has a help text. In a path, `*` stands for any
    /// name in an object whose names are not fixed, such as the keys of settings.
    var rows: [(path: String, help: String)] { get }
    /// The fields to print along with the error if there is no answer.
    var otherwise: [(name: String, value: JSONText)] { get }
}

extension PrintedForm {
    /// The JSON to print if there is no answer, with `schema` as its first field.
    func failure(_ message: String) -> JSONText {
        .object([("schema", .integer(schema))] + otherwise + [("error", .text(message))])
    }
}

/// A field of a form. A field without a help text has no row of its own in the help: the rows of its parts are enough.
package struct JSONField<Source>: Sendable {
    fileprivate let name: String
    fileprivate let rows: [(path: String, help: String)]
    /// Returns nil if the field is left out.
    fileprivate let value: @Sendable (Source) -> JSONText?

    fileprivate init(name: String, rows: [(path: String, help: String)], value: @escaping @Sendable (Source) -> JSONText?) {
        (self.name, self.rows, self.value) = (name, rows, value)
    }

    package init<Value: JSONPrintable>(_ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value) {
        self.init(name: name, rows: [(name + Value.sign, help)]) { value($0).printed }
    }

    /// A field that is left out where its value is `nil`.
    package static func ifAny<Value: JSONPrintable>(
        _ name: String, _ help: String, _ value: @escaping @Sendable (Source) -> Value?
    ) -> Self {
        Self(name: name, rows: [(name + Value.sign, help)]) { value($0).map(\.printed) }
    }

    /// A field that holds an object, or null.
    package static func object<Part>(
        _ name: String, _ help: String = "", of form: JSONForm<Part>, _ part: @escaping @Sendable (Source) -> Part?
    ) -> Self {
        Self(name: name, rows: rows(name, help, form)) { part($0).map(form.json) ?? .null }
    }

    /// A field that holds a list of objects, or null.
    package static func list<Part>(
        _ name: String, _ help: String = "", of form: JSONForm<Part>, _ parts: @escaping @Sendable (Source) -> [Part]?
    ) -> Self {
        Self(name: name, rows: rows(name + "[]", help, form)) { parts($0).map { .list($0.map(form.json)) } ?? .null }
    }

    /// A field that holds an object whose names are not fixed, such as the keys of settings, each with an object.
    package static func map<Part>(
        _ name: String, of form: JSONForm<Part>, _ parts: @escaping @Sendable (Source) -> [(name: String, part: Part)]
    ) -> Self {
        Self(name: name, rows: rows(name + ".*", "", form)) { .object(parts($0).map { (name: $0.name, value: form.json($0.part)) }) }
    }

    /// A field that holds an object whose names are not fixed, each with a single value.
    package static func map<Value: JSONPrintable>(
        _ name: String, _ help: String, _ parts: @escaping @Sendable (Source) -> [(name: String, value: Value)]
    ) -> Self {
        Self(name: name, rows: [(name + ".*", help)]) { .object(parts($0).map { (name: $0.name, value: $0.value.printed) }) }
    }

    private static func rows<Part>(_ path: String, _ help: String, _ form: JSONForm<Part>) -> [(path: String, help: String)] {
        (help.isEmpty ? [] : [(path, help)]) + form.rows.map { ("\(path).\($0.path)", $0.help) }
    }
}

/// A value that a field can have.
package protocol JSONPrintable: SendableMetatype {
    var printed: JSONText { get }
    /// The suffix that the help puts after the name of a field of this type, as in `charts[]`.
    static var sign: String { get }
}

extension JSONPrintable {
    package static var sign: String { "" }
}

extension JSONText: JSONPrintable { package var printed: JSONText { self } }
extension String: JSONPrintable { package var printed: JSONText { .text(self) } }
extension Int: JSONPrintable { package var printed: JSONText { .integer(self) } }
extension Bool: JSONPrintable { package var printed: JSONText { .boolean(self) } }
extension Timestamp: JSONPrintable { package var printed: JSONText { .time(self) } }
/// The page's number, counted from 1.
extension PageIndex: JSONPrintable { package var printed: JSONText { .integer(number) } }
/// The number of bytes.
extension ByteCount: JSONPrintable { package var printed: JSONText { .integer(bytes) } }
/// The number of whole seconds.
extension Duration: JSONPrintable { package var printed: JSONText { .integer(Int(components.seconds)) } }

extension Optional: JSONPrintable where Wrapped: JSONPrintable {
    package var printed: JSONText { map(\.printed) ?? .null }
    package static var sign: String { Wrapped.sign }
}

extension Array: JSONPrintable where Element: JSONPrintable {
    package var printed: JSONText { .list(map(\.printed)) }
    package static var sign: String { "[]" }
}
