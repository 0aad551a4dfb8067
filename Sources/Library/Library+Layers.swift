public import Model

extension Library {
    /// Takes over the layers that a poll of `plan` told, all or, when it throws, none. Returns whether anything changed;
    /// writes nothing if not.
    ///
    /// Layers that are not named stay as they are: an answer that tells less deletes nothing. A layer that its owner
    /// deleted is kept with its `deletedAt`, and draws nothing.
    @discardableResult
    public func update(layers: [Layer], of plan: PlanID) throws(LibraryError) -> Bool {
        var seen: Set<LayerID> = []
        // The last word on a layer that is told twice.
        let layers = layers.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try database.write { () throws(LibraryError) in
            var changes = 0
            for layer in layers {
                changes += try store(layer)
                changes += try database.run(
                    "INSERT INTO layer_plans (plan_id, layer_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [.id(plan), .id(layer.id)])
            }
            return changes > 0
        }
    }

    /// The layers of an attachment, deleted ones among them, by id.
    public func layers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        let layers = try database.rows(
            "SELECT id, person_name, name, revision, updated_at, deleted_at, marks FROM layers WHERE attachment_id = ?",
            [.id(attachment)]
        ) { row throws(LibraryError) in
            let id = LayerID(row.text(0))
            return Layer(
                id: id, attachment: attachment, personName: row.text(1), name: row.text(2), revision: row.integer(3),
                updatedAt: row.time(4), deletedAt: row.time(5), marks: try MarksText.read(row.text(6), of: id))
        }
        return layers.sorted { $0.id < $1.id }
    }

    private func store(_ layer: Layer) throws(LibraryError) -> Int {
        try database.run(
            """
            INSERT INTO layers (id, attachment_id, person_name, name, revision, updated_at, deleted_at, marks)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                attachment_id = excluded.attachment_id, person_name = excluded.person_name, name = excluded.name,
                revision = excluded.revision, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at,
                marks = excluded.marks
            WHERE (attachment_id, person_name, name, revision, updated_at, deleted_at, marks)
                IS NOT (excluded.attachment_id, excluded.person_name, excluded.name, excluded.revision,
                    excluded.updated_at, excluded.deleted_at, excluded.marks)
            """,
            [
                .id(layer.id), .id(layer.attachment), .text(layer.personName), .text(layer.name), .integer(layer.revision),
                .time(layer.updatedAt), .time(layer.deletedAt), .text(try MarksText.write(layer.marks, of: layer.id)),
            ])
    }
}
