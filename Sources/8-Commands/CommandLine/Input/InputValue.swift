package import Model

/// A value that the user gave: on the command line, in the environment or in the configuration file.
package enum InputValue: Hashable, Sendable {
    /// `none`: as if it had not been given anywhere.
    case unset
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case duration(Duration)
    case size(ByteCount)
    case diskAmount(DiskAmount)
    case list([String])

    /// As it is written in the configuration file.
    package var yaml: String {
        switch self {
        case .unset: "none"
        case .text(let text): Self.quoted(text)
        case .integer(let number): String(number)
        case .boolean(let value): String(value)
        case .duration(let duration): DurationText.text(of: duration)
        case .size(let size): SizeText.text(of: size)
        case .diskAmount(let amount): DiskAmountText.text(of: amount)
        case .list(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
        }
    }

    /// As it is printed for programs.
    package var json: JSONText {
        switch self {
        case .unset: .null
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .boolean(let value): .boolean(value)
        case .duration, .size, .diskAmount: .text(yaml)
        case .list(let texts): .list(texts.map(JSONText.text))
        }
    }

    /// The text itself if YAML cannot take it for anything else, otherwise in double quotes.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
            && !text.isEmpty && !text.hasPrefix("-") && !text.hasPrefix(":") && !text.hasSuffix(":") && !text.hasPrefix(".")
            && !["none", "null"].contains(text)
        if isPlain { return text }
        // JSON's escapes are also valid in YAML's double quotes.
        return JSONText.text(text).line
    }
}

/// A type that a value given by the user can be converted to.
package protocol InputConvertible {
    /// Nil if the value is of another kind.
    init?(input: InputValue)
    var input: InputValue { get }
}
