public import Model

extension Library {
    /// The layers that the user does not want to see on the chart of an attachment, whether or not they are here.
    public func hiddenLayers(of attachment: AttachmentID) throws(LibraryError) -> Set<LayerID> {
        Set(try database.rows("SELECT layer_id FROM hidden_layers WHERE attachment_id = ?", [.id(attachment)]) { LayerID($0.text(0)) })
    }

    /// What is drawn on the chart of an attachment: everybody's layers and the user's own files, without what is hidden or deleted.
    public func visibleLayers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        let hidden = try hiddenLayers(of: attachment)
        return (try layers(of: attachment) + localLayers(of: attachment)).filter { $0.deletedAt == nil && !hidden.contains($0.id) }
    }

    /// Hides a layer, or shows it again. Returns whether it was otherwise before.
    @discardableResult
    public func setHidden(_ isHidden: Bool, layer: LayerID, of attachment: AttachmentID) throws(LibraryError) -> Bool {
        try Self.setHidden(isHidden, layer, attachment, in: database)
    }

    /// Hides a layer, or shows it again, in the library of `folder`, also beside the process that writes it.
    @discardableResult
    public nonisolated static func setHidden(
        _ isHidden: Bool, layer: LayerID, of attachment: AttachmentID, inLibraryAt folder: String
    ) throws(LibraryError) -> Bool {
        try change(libraryAt: folder) { database throws(LibraryError) in try setHidden(isHidden, layer, attachment, in: database) }
    }

    private nonisolated static func setHidden(
        _ isHidden: Bool, _ layer: LayerID, _ attachment: AttachmentID, in database: Database
    ) throws(LibraryError) -> Bool {
        let sql =
            isHidden
            ? "INSERT INTO hidden_layers (attachment_id, layer_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
            : "DELETE FROM hidden_layers WHERE attachment_id = ? AND layer_id = ?"
        return try database.run(sql, [.id(attachment), .id(layer)]) > 0
    }
}
