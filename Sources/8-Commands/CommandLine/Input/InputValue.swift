package import JSON
package import Model
package import Platform

/// A value that the user gave: on the command line, in the environment or in the configuration file.
package enum InputValue: Hashable, Sendable {
    /// `none`: the setting has no value, even if a source of lower precedence gives one.
    case unset
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case duration(Duration)
    case size(ByteCount)
    case diskAmount(DiskAmount)
    case list([String])

    /// The value as written in the configuration file.
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

    /// The value as printed in JSON.
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

    /// Returns the text unquoted if YAML cannot misread it, otherwise in double quotes.
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
        // JSON's escapes are also valid in YAML's double-quoted strings.
        return JSONText.text(text).line
    }
}

/// A type that a value given by the user can be converted to.
package protocol InputConvertible {
    /// Converts `input`; returns nil if its kind does not fit this type, or its text is not valid for this type.
    static func of(_ input: InputValue) -> Self?
    var input: InputValue { get }
}

extension String: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .text(let value) = input { value } else { nil } }
    package var input: InputValue { .text(self) }
}

extension Int: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .integer(let value) = input { value } else { nil } }
    package var input: InputValue { .integer(self) }
}

extension Bool: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .boolean(let value) = input { value } else { nil } }
    package var input: InputValue { .boolean(self) }
}

extension Duration: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .duration(let value) = input { value } else { nil } }
    package var input: InputValue { .duration(self) }
}

extension ByteCount: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .size(let value) = input { value } else { nil } }
    package var input: InputValue { .size(self) }
}

extension DiskAmount: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .diskAmount(let value) = input { value } else { nil } }
    package var input: InputValue { .diskAmount(self) }
}

extension [String]: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .list(let value) = input { value } else { nil } }
    package var input: InputValue { .list(self) }
}

extension Color: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .text(let value) = input { Self(value) } else { nil } }
    package var input: InputValue { .text(description) }
}

extension QuietHours: InputConvertible {
    package static func of(_ input: InputValue) -> Self? { if case .text(let value) = input { Self(value) } else { nil } }
    package var input: InputValue { .text(description) }

    /// Throws unless the text is a valid range of hours.
    @Sendable package static func check(_ text: String) throws(Trouble) {
        guard QuietHours(text) == nil else { return }
        throw Trouble("'\(text.printable)' are no hours; write when they begin and when they end, as in 22:00-08:00")
    }
}

extension Log.Level: InputConvertible {
    package static func of(_ input: InputValue) -> Self? {
        if case .text(let value) = input { allCases.first { "\($0)" == value } } else { nil }
    }
    package var input: InputValue { .text("\(self)") }
}
