public import Catalogue
public import Model

extension DrawingStore {
    /// The layers that are not drawn on an attachment's chart: those that the user has hidden, whether or not they are here,
    /// and copies of others, unless somebody asked to see them.
    public func hiddenLayers(of attachment: AttachmentID) throws(LibraryError) -> Set<LayerID> {
        let copies = try copiesLeftOut(of: attachment).map { LocalFile.layerID(ofFile: $0.path) }
        return Set(try hiddenByChoice(where: "attachment_id = ?", [.id(attachment)]).map { LayerID($0[1]) }).union(copies)
    }

    /// The user's files with marks that somebody hid, by their charts and ordered by path.
    public func filesHiddenByChoice() throws(LibraryError) -> [AttachmentID: [String]] {
        let hidden = try database.rows(
            """
            SELECT hidden.attachment_id, path FROM hidden_layers AS hidden
            JOIN local_files ON path = substr(layer_id, length('file:') + 1) AND local_files.attachment_id = hidden.attachment_id
            WHERE layer_id LIKE 'file:%' AND coalesce(marks, '[]') <> '[]' ORDER BY path
            """
        ) { row in (attachment: AttachmentID(row.text(0)), path: row.text(1)) }
        return Dictionary(grouping: hidden, by: \.attachment).mapValues { $0.map(\.path) }
    }

    /// What is drawn on an attachment's chart: everybody's layers and the user's own files, without what is hidden or deleted.
    public func visibleLayers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        let hidden = try hiddenLayers(of: attachment)
        return (try layers.all(of: attachment) + markFiles.localLayers(of: attachment)).filter {
            $0.deletedAt == nil && !hidden.contains($0.id)
        }
    }

    /// Hides a layer, or shows it again. Returns whether that changed anything.
    @discardableResult
    public func setHidden(_ isHidden: Bool, layer: LayerID, of attachment: AttachmentID) throws(LibraryError) -> Bool {
        try Self.setHidden(isHidden, layer, attachment, in: database)
    }

    /// Hides a layer, or shows it again, in the library of `folder`, even while another process writes to it.
    @discardableResult
    public nonisolated static func setHidden(
        _ isHidden: Bool, layer: LayerID, of attachment: AttachmentID, inLibraryAt folder: String
    ) throws(LibraryError) -> Bool {
        try Database.change(libraryAt: folder) { database throws(LibraryError) in try setHidden(isHidden, layer, attachment, in: database) }
    }

    private nonisolated static func setHidden(
        _ isHidden: Bool, _ layer: LayerID, _ attachment: AttachmentID, in database: Database
    ) throws(LibraryError) -> Bool {
        func change(_ table: String, isIn: Bool) throws(LibraryError) -> Bool {
            let sql =
                isIn
                ? "INSERT INTO \(table) (attachment_id, layer_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
                : "DELETE FROM \(table) WHERE attachment_id = ? AND layer_id = ?"
            return try database.run(sql, [.id(attachment), .id(layer)]) > 0
        }
        let isOtherwise = try change("hidden_layers", isIn: isHidden)
        // Asking to see a file only makes a difference if it might be taken for a copy.
        let others = try database.row("SELECT count(*) FROM local_files WHERE attachment_id = ?", [.id(attachment)]) { $0.integer(0) } ?? 0
        var isChosen = false
        if LocalFile.path(ofLayer: layer) != nil { isChosen = try change("shown_layers", isIn: !isHidden) }
        return isOtherwise || isChosen && !isHidden && others > 1
    }
}
