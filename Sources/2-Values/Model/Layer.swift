/// The marks of one source on one chart, in order.
public struct Layer: Hashable, Sendable {
    public var id: LayerID
    public var attachment: AttachmentID
    public var personName: String
    public var name: String
    public var revision: Int
    public var updatedAt: Timestamp?
    /// When the owner deleted the layer; `nil` if it was not deleted. None of the marks of a deleted layer are drawn.
    public var deletedAt: Timestamp?
    public var marks: [Mark]

    public init(
        id: LayerID, attachment: AttachmentID, personName: String = "", name: String = "", revision: Int = 0,
        updatedAt: Timestamp? = nil, deletedAt: Timestamp? = nil, marks: [Mark]
    ) {
        (self.id, self.attachment, self.personName, self.name) = (id, attachment, personName, name)
        (self.revision, self.updatedAt, self.deletedAt, self.marks) = (revision, updatedAt, deletedAt, marks)
    }
}

extension Layer {
    /// The layer's name for people, as in `'bowings' by Ann`.
    public var displayName: String { Self.displayName(name, by: personName) }

    /// The name for people of a layer with this name and owner. Without a name, it is `a layer by Ann`.
    public static func displayName(_ name: String, by person: String) -> String {
        (name.isEmpty ? "a layer" : "'\(name)'") + (person.isEmpty ? "" : " by \(person)")
    }
}
