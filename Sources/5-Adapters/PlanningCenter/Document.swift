/// One page of a JSON:API answer: what was asked for, what belongs to it, and where the next page is.
struct Document<Element: Decodable & Sendable>: Decodable, Sendable {
    let data: [Element]
    let included: [Resource]
    let next: String?
    /// How many entries all pages have together, if the service says so.
    let total: Int?

    private enum Key: String, CodingKey { case data, included, links, meta }
    private enum MetaKey: String, CodingKey { case total = "total_count" }
    private enum LinkKey: String, CodingKey { case next, href }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // A list may be null; a single resource comes without a list around it. An answer without `data` is something
        // else, and must not look like an empty list.
        if try container.decodeNil(forKey: .data) {
            data = []
        } else if (try? container.nestedUnkeyedContainer(forKey: .data)) != nil {
            data = try container.decode([Element].self, forKey: .data)
        } else {
            data = [try container.decode(Element.self, forKey: .data)]
        }
        included = try container.decodeIfPresent([Resource].self, forKey: .included) ?? []
        total = try? container.nestedContainer(keyedBy: MetaKey.self, forKey: .meta).decode(Int.self, forKey: .total)
        guard let links = try? container.nestedContainer(keyedBy: LinkKey.self, forKey: .links) else {
            next = nil
            return
        }
        if let text = try? links.decodeIfPresent(String.self, forKey: .next) {
            next = text
        } else {
            next = try? links.nestedContainer(keyedBy: LinkKey.self, forKey: .next).decode(String.self, forKey: .href)
        }
    }
}
