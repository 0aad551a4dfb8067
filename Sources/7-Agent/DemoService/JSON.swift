import FoundationEssentials
import Model

/// A JSON value that keeps the order of an object's members, so that equal states give equal bytes.
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

    /// A member of an object; `nil` if there is no such member, or the value is no object.
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

    /// `null` for `nil`.
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
        guard let value = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return nil }
        self = value
    }
}

extension JSON: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    // Each wrong guess throws an error, which is expensive, so the most frequent values are tried first: marks are
    // numbers in arrays.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Double.self) {
            self = Int(exactly: value).map { .int($0) } ?? .double(value)
        } else if var values = try? decoder.unkeyedContainer() {
            var array: [JSON] = []
            while !values.isAtEnd { array.append(try values.decode(JSON.self)) }
            self = .array(array)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                    Member(name: $0.stringValue, value: try members.decode(JSON.self, forKey: $0))
                })
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else {
            self = .null
        }
    }
}
