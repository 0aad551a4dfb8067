/// Identifies one resource, by its type and id. Both must be there.
struct Reference: Hashable, Sendable, Decodable {
    let type: String
    let id: String

    init(_ type: String, _ id: String) {
        self.type = type
        self.id = id
    }

    private enum Key: String, CodingKey { case type, id }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = try container.decode(String.self, forKey: .type)
        id = try container.decode(Identifier.self, forKey: .id).text
    }
}

/// An id as the service sends it: a text, or occasionally a number.
struct Identifier: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else {
            text = String(try container.decode(Int.self))
        }
        guard !text.isEmpty else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id is empty")
        }
    }
}
