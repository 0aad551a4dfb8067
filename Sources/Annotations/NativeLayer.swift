import Model

/// A native layer as it is written; whatever else it holds is passed over.
struct NativeLayer: Decodable {
    /// A mark that may be unreadable without harm to its neighbours.
    struct Entry: Decodable {
        let mark: Mark?
        init(from decoder: any Decoder) throws { mark = try? Mark(from: decoder) }
    }

    /// A number that people write as a number or as a text.
    private struct Identifier: Decodable {
        let text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
        }
    }

    let version: Int
    let attachment: AttachmentID?
    let chart: String?
    let name: String?
    let entries: [Entry]
    let deleted: Set<String>

    private enum Key: String, CodingKey {
        case version, chart, name, marks, deleted
        case attachment = "attachment_id"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
        attachment = try container.decodeIfPresent(Identifier.self, forKey: .attachment).map { AttachmentID($0.text) }
        chart = try container.decodeIfPresent(String.self, forKey: .chart)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        // What another version means by its marks is not ours to say.
        entries = version == 1 ? try container.decode([Entry].self, forKey: .marks) : []
        deleted = Set(version == 1 ? try container.decodeIfPresent([String].self, forKey: .deleted) ?? [] : [])
    }
}
