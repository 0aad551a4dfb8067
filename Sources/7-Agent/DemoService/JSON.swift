import JSON
import Model

/// A JSON value that keeps the order of an object's members: equal states give equal bytes.
enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member: Sendable, Hashable {
        let name: String
        var value: JSON
    }

    /// A member of an object; `nil` if the member is missing, or the value is not an object.
    subscript(name: String) -> JSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            members.removeAll { $0.name == name && newValue == nil }
            if let newValue {
                if let index = members.firstIndex(where: { $0.name == name }) {
                    members[index].value = newValue
                } else {
                    members.append(Member(name: name, value: newValue))
                }
            }
            self = .object(members)
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var array: [JSON]? { if case .array(let values) = self { values } else { nil } }

    /// A string, or `null` for `nil`.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .int(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member(name: $0.0, value: $0.1) }) }
}

extension JSON {
    var text: String { ordered.line }

    private var ordered: JSONText {
        switch self {
        case .null: .null
        case .bool(let value): .boolean(value)
        case .int(let value): .integer(value)
        case .double(let value): .number(value)
        case .string(let value): .text(value)
        case .array(let values): .list(values.map(\.ordered))
        case .object(let members): .object(members.map { (name: $0.name, value: $0.value.ordered) })
        }
    }

    /// Reads JSON text; `nil` if it is not valid. The members of objects are sorted by name.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        self.init(of: value)
    }

    init(of value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let value): Int(exactly: value).map { .int($0) } ?? .double(value)
            case .integer(let value): .int(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map { JSON(of: $0) })
            case .object(let members): .object(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: JSON(of: $0.value)) })
            }
    }
}
