import FoundationEssentials
import Model

extension JSON {
    /// The value as JSON text.
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

extension JSON: Codable {
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

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .int(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }
}
