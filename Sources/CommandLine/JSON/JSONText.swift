/// JSON to print: members stay in the order in which they were given, so that a line is easy to read.
package enum JSONText: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Becomes null if JSON has no such number, as for infinity.
    case number(Double)
    case text(String)
    case list([JSONText])
    case object([(name: String, value: JSONText)])

    /// The whole value on one line, without a line break at its end.
    package var line: String {
        switch self {
        case .null: "null"
        case .boolean(let value): String(value)
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String(value) : "null"
        case .text(let text): Self.quoted(text)
        case .list(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            // Control characters must be escaped; so are line breaks in the text that a line-based reader might act on.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    package init(dictionaryLiteral members: (String, JSONText)...) {
        self = .object(members.map { (name: $0, value: $1) })
    }

    package init(arrayLiteral values: JSONText...) {
        self = .list(values)
    }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
