import JSON
import Model
import Platform

/// One resource of the service with the few attributes that we use; other attributes and unexpected values are skipped.
struct Resource: Hashable, Decodable, Sendable {
    let reference: Reference
    private let attributes: [Attribute: Value]
    private let relations: [Relation: [Reference]]

    var id: String { reference.id }
    var type: String { reference.type }

    /// The attributes that are read; the others are not decoded.
    enum Attribute: String, CaseIterable {
        case title, dates, status, name, sequence, filename, length, description
        case firstName = "first_name"
        case lastName = "last_name"
        case itemType = "item_type"
        case serviceTypeName = "service_type_name"
        case isDownloadable = "downloadable"
        case isVisible = "plan_visible_to_me"
        case timeType = "time_type"
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case sortDate = "sort_date"
        case lastTime = "last_time_at"
        case timeZone = "organization_time_zone"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
        case keyName = "key_name"
        case tempo = "bpm"
        case displayName = "display_name"
        case contentType = "content_type"
        case fileSize = "file_size"
        case kind = "pco_type"
        case attachmentURL = "attachment_url"
        case pageOrder = "page_order"
        case author, copyright, meter
        case chords = "chord_chart"
        case chordsKey = "chord_chart_key"
        case columns = "chord_chart_columns"
        case ownSequence = "custom_arrangement_sequence"
        case fontSize = "chord_chart_font_size"
        case paper = "print_page_size"
    }

    enum Relation: String, CaseIterable {
        case plan, song, arrangement, key, attachable
        case serviceType = "service_type"
        case planTimes = "plan_times"
    }

    private enum Value: Hashable, Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([String])
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        reference = try Reference(from: decoder)
        let container = try decoder.container(keyedBy: Name.self)
        var attributes: [Attribute: Value] = [:]
        if let values = try? container.nestedContainer(keyedBy: Name.self, forKey: Name("attributes")) {
            for attribute in Attribute.allCases {
                let name = Name(attribute.rawValue)
                guard values.contains(name), (try? values.decodeNil(forKey: name)) == false else { continue }
                if let text = try? values.decode(String.self, forKey: name) {
                    attributes[attribute] = .text(text)
                } else if let number = try? values.decode(Double.self, forKey: name) {
                    attributes[attribute] = .number(number)
                } else if let flag = try? values.decode(Bool.self, forKey: name) {
                    attributes[attribute] = .flag(flag)
                } else if attribute == .pageOrder, let order = try? values.decode([JSONValue].self, forKey: name), !order.isEmpty {
                    // The order is documented as a text, but also sent as a list. The list is turned into a text, which only has to
                    // change when the order changes.
                    attributes[attribute] = .text(order.map(Self.word).joined(separator: ","))
                } else if [.sequence, .ownSequence].contains(attribute), let parts = try? values.decode([JSONValue].self, forKey: name) {
                    // An item's `sequence` is its position in the running order; an arrangement's `sequence` is the list of parts
                    // that are played.
                    attributes[attribute] = .list(parts.map(Self.word))
                }
            }
        }
        self.attributes = attributes
        var relations: [Relation: [Reference]] = [:]
        if let values = try? container.nestedContainer(keyedBy: Name.self, forKey: Name("relationships")) {
            for relation in Relation.allCases where values.contains(Name(relation.rawValue)) {
                relations[relation] = (try? values.decode(Linkage.self, forKey: Name(relation.rawValue)))?.references
            }
        }
        self.relations = relations
    }

    private static func word(_ value: JSONValue) -> String {
        switch value {
        case .number(let number): OutsideNumber(number).text
        case .integer(let number): "\(number)"
        case .string(let text): text
        default: "?"
        }
    }

    /// The attribute as text; a number is converted.
    func text(_ attribute: Attribute) -> String? {
        switch attributes[attribute] {
        case .text(let text): text
        case .number(let number): OutsideNumber(number).text
        case .flag, .list, nil: nil
        }
    }

    /// The attribute as a list of texts; empty if it has any other value.
    func list(_ attribute: Attribute) -> [String] {
        if case .list(let list) = attributes[attribute] { return list }
        return []
    }

    /// The attribute as a whole number, which may be written as text. A number outside `range` becomes the nearest end of `range`.
    func number(_ attribute: Attribute, in range: ClosedRange<Int>) -> Int? {
        switch attributes[attribute] {
        case .text(let text): OutsideNumber(text)?.whole(in: range)
        case .number(let number): OutsideNumber(number).whole(in: range)
        case .flag, .list, nil: nil
        }
    }

    /// The attribute as a whole number, which may be written as text; `nil` if the number is not in `range`.
    func number(_ attribute: Attribute, within range: ClosedRange<Int>) -> Int? {
        // Widen the range by one at each end: numbers outside the range then differ from those at its ends.
        number(attribute, in: range.lowerBound - 1...range.upperBound + 1).flatMap { range.contains($0) ? $0 : nil }
    }

    func flag(_ attribute: Attribute) -> Bool? {
        if case .flag(let flag) = attributes[attribute] { return flag }
        return nil
    }

    func time(_ attribute: Attribute) -> Timestamp? { text(attribute).flatMap { Timestamp($0) } }

    /// The resources that a relation refers to; empty if it is null or missing.
    func references(_ relation: Relation) -> [Reference] { relations[relation] ?? [] }

    func reference(_ relation: Relation) -> Reference? { references(relation).first }
}

/// A relation's `data`: one reference, several, or null.
private struct Linkage: Decodable {
    private let one: Reference?
    private let many: [Reference]?

    private enum Key: String, CodingKey { case data }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        one = try? container.decode(Reference.self, forKey: .data)
        many = one == nil ? try? container.decode([Reference].self, forKey: .data) : nil
    }

    var references: [Reference] { many ?? one.map { [$0] } ?? [] }
}

/// Identifies one resource by its type and id; neither may be missing.
struct Reference: Hashable, Sendable, Decodable {
    let type: String
    let id: String

    init(_ type: String, _ id: String) { (self.type, self.id) = (type, id) }

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
        guard !text.isEmpty else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id is empty") }
    }
}

/// One page of a JSON:API answer: the entries, the resources included with them, and the address of the next page.
struct Document<Element: Decodable & Sendable>: Decodable, Sendable {
    let data: [Element]
    let included: [Resource]
    let next: String?
    /// The number of entries on all pages together, if the service gives it.
    let total: Int?

    private enum Key: String, CodingKey { case data, included, links, meta }
    private enum MetaKey: String, CodingKey { case total = "total_count" }
    private enum LinkKey: String, CodingKey { case next, href }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // A list may be null, and a single resource comes without a list around it. An answer without `data` is another kind of
        // document, and must not look like an empty list.
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
