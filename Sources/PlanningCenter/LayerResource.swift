import Model
import Platform

/// A layer of marks as the annotation extension sends it.
struct LayerResource: Decodable, Sendable {
    let layer: Layer
    /// Whether it came with marks at all: none is a word of its own, silence is not.
    let hasMarks: Bool
    /// How many of its marks could not be read.
    let unreadableMarks: Int

    /// As many as there may be of one layer.
    private static let revisions = 0...Int(Int32.max)

    private enum Key: String, CodingKey { case attributes }
    private enum Attribute: String, CodingKey {
        case name, revision, marks
        case attachment = "attachment_id"
        case personName = "person_name"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
    }

    /// A mark that may be unreadable without harm to its neighbours.
    private struct Lenient: Decodable {
        let mark: Mark?
        init(from decoder: any Decoder) throws { mark = try? Mark(from: decoder) }
    }

    init(from decoder: any Decoder) throws {
        let id = try Reference(from: decoder).id
        let values = try decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
        let told = try values.decodeIfPresent([Lenient].self, forKey: .marks)
        hasMarks = told != nil
        let marks = told ?? []
        unreadableMarks = marks.count { $0.mark == nil }
        func text(_ attribute: Attribute) -> String? { try? values.decodeIfPresent(String.self, forKey: attribute) }
        layer = Layer(
            id: LayerID(id), attachment: AttachmentID(try values.decode(Identifier.self, forKey: .attachment).text),
            personName: text(.personName) ?? "", name: text(.name) ?? "",
            revision: (try? values.decodeIfPresent(Double.self, forKey: .revision)).map { OutsideNumber($0).whole(in: Self.revisions) }
                ?? 0,
            updatedAt: text(.updatedAt).flatMap { Timestamp($0) },
            // A layer whose deletion has an unreadable date is deleted all the same.
            deletedAt: text(.deletedAt).map { Timestamp($0) ?? Timestamp(nanoseconds: 0) },
            marks: marks.compactMap(\.mark))
    }
}
