/// The marks of one source for one chart, in order.
public struct Layer: Hashable, Sendable {
    public var id: LayerID
    public var attachment: AttachmentID
    public var personName: String
    public var name: String
    public var revision: Int
    public var updatedAt: Timestamp?
    /// Set when the owner deleted the layer; then none of its marks are drawn.
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

    /// The same for a given name and owner; without a name, `a layer by Ann`.
    public static func displayName(_ name: String, by person: String) -> String {
        (name.isEmpty ? "a layer" : "'\(name)'") + (person.isEmpty ? "" : " by \(person)")
    }
}
