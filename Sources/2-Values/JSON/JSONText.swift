/// JSON to print or send. Members keep the given order, so that people can read it, too.
public enum JSONText: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// A number. Infinity and NaN, which JSON cannot express, become null.
    case number(Double)
    case text(String)
    case list([JSONText])
    case object([(name: String, value: JSONText)])

    public static func maybe(_ text: String?) -> JSONText { text.map(JSONText.text) ?? .null }

    /// The text in quotes, escaped so that browsers cannot mistake any of it for a tag.
    public static func quoted(_ text: String) -> [UInt8] { JSONText.text(text).bytes(forBrowsers: true) }

    public static func texts(_ texts: [String]) -> JSONText { .list(texts.map(JSONText.text)) }

    /// The value on one line, without a line break at the end.
    public var line: String { String(decoding: bytes(forBrowsers: false), as: UTF8.self) }

    /// The value on one line, as bytes. For browsers, `<` is escaped, in case the answer is mistaken for a page.
    public func bytes(forBrowsers: Bool) -> [UInt8] {
        var writer = JSONTextWriter(escapesTags: forBrowsers)
        writer.write(self)
        return writer.bytes
    }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(dictionaryLiteral members: (String, JSONText)...) {
        self = .object(members.map { (name: $0, value: $1) })
    }

    public init(arrayLiteral values: JSONText...) {
        self = .list(values)
    }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral text: String) { self = .text(text) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

private struct JSONTextWriter {
    let escapesTags: Bool
    var bytes: [UInt8] = []

    mutating func write(_ value: JSONText) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += (value.isFinite ? String(value) : "null").utf8
        case .text(let text): quote(text)
        case .list(let values): enclose(values, in: "[", "]") { $0.write($1) }
        case .object(let members):
            enclose(members, in: "{", "}") { writer, member in
                writer.quote(member.name)
                writer.bytes.append(UInt8(ascii: ":"))
                writer.write(member.value)
            }
        }
    }

    private mutating func enclose<Part>(
        _ parts: [Part], in first: Unicode.Scalar, _ last: Unicode.Scalar, _ write: (inout Self, Part) -> Void
    ) {
        bytes.append(UInt8(ascii: first))
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, part)
        }
        bytes.append(UInt8(ascii: last))
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(isPlain) {
            bytes += text.utf8
        } else {
            for scalar in text.unicodeScalars { write(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether the byte can be written without an escape, for browsers and others.
    private func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "<")
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
        case "\n": bytes += "\\n".utf8
        case "\t": bytes += "\\t".utf8
        case "<" where !escapesTags: bytes.append(UInt8(ascii: scalar))
        // Control characters must be escaped. Unusual line breaks are escaped, too, since they could mislead a reader that works
        // line by line.
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "<":
            let digits = String(scalar.value, radix: 16)
            bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        default: bytes += scalar.utf8
        }
    }
}
