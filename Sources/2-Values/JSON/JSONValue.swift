/// Any JSON value, for data that must be kept although its meaning is unknown.
public enum JSONValue: Hashable, Sendable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    /// A whole number that a `Double` may not hold exactly, because it is beyond 2^53 either way. All other numbers are `number`.
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// A `Double` can hold every whole number up to this one, 2^53.
    static let largestExactWhole: UInt = 1 << 53

    static func whole(_ number: Int) -> JSONValue {
        number.magnitude > largestExactWhole ? .integer(number) : .number(Double(number))
    }

    /// Reads from any decoder. With the decoder of `JSONReader`, but with no other, the time does not depend on how
    /// deeply the value is nested.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .whole(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
