public import Catalogue
public import Model

extension DrawingStore {
    /// The jumps and bookmarks in the layers that are drawn on an attachment's chart whose chords are in `key`. Without any, no marks are
    /// decoded.
    public func places(of attachment: AttachmentID, in key: ChordKey?) throws(LibraryError) -> ChartPlaces {
        guard try hasPlaces(attachment) else { return ChartPlaces() }
        let layers = try writtenLayers(of: attachment)
        if let known = markedPlaces[attachment], known.drawing == layers.drawing, known.key == key { return known.places }
        let own = Set(try parts.layers(of: attachment))
        let places = ChartPlaces(of: try layers.read().shown(in: key), own: own)
        markedPlaces[attachment] = (layers.drawing, key, places)
        return places
    }

    private func hasPlaces(_ attachment: AttachmentID) throws(LibraryError) -> Bool {
        let names = #"(instr(marks, '"jump"') OR instr(marks, '"bookmark"'))"#
        return try database.has(
            """
            SELECT 1 FROM layers WHERE attachment_id = ?1 AND deleted_at IS NULL AND \(names)
            UNION ALL SELECT 1 FROM local_files WHERE attachment_id = ?1 AND \(names)
            """, [.id(attachment)])
    }
}
