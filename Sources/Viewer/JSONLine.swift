/// JSON to send: members stay in the order in which they were given.
enum JSONLine: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Becomes null if JSON has no such number, as for infinity.
    case number(Double)
    case text(String)
    case list([JSONLine])
    case object([(name: String, value: JSONLine)])

    /// A text that may be missing.
    static func maybe(_ text: String?) -> JSONLine { text.map(JSONLine.text) ?? .null }

    static func texts(_ texts: [String]) -> JSONLine { .list(texts.map(JSONLine.text)) }

    /// The whole value without a line break, as events require.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += (value.isFinite ? String(value) : "null").utf8
        case .text(let text): Self.write(text, to: &bytes)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            // Control characters must be escaped; so is what could begin a tag, in case anybody ever takes an answer for a page.
            case 0..<0x20, 0x7F, UInt8(ascii: "<"):
                let digits = String(byte, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONLine: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, JSONLine)...) {
        self = .object(members.map { (name: $0, value: $1) })
    }
}
