public import Catalogue
import JSON
public import Model

/// Layers and files that are not drawn: those that the user hid, and files that are copies of others.
extension DrawingStore {
    /// The layers that are not drawn on an attachment's chart: layers that the user has hidden, whether or not they are stored, and
    /// copies of other layers, unless the user asked to see them.
    public func hiddenLayers(of attachment: AttachmentID) throws(LibraryError) -> Set<LayerID> {
        try hiddenLayers(where: "attachment_id = ?", [.id(attachment)])[attachment] ?? []
    }

    /// The layers that are not drawn on each of several charts; charts without such layers are left out.
    public func hiddenLayers(of attachments: Set<AttachmentID>) throws(LibraryError) -> [AttachmentID: Set<LayerID>] {
        let list = JSONText.texts(attachments.map(\.text)).line
        return try hiddenLayers(where: "attachment_id IN (SELECT value FROM json_each(?))", [.text(list)])
    }

    private func hiddenLayers(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [AttachmentID: Set<LayerID>] {
        var hidden = try copiesLeftOut(where: condition, values).mapValues { Set($0.map { LocalFile.layerID(ofFile: $0.path) }) }
        for layer in try hiddenByChoice(where: condition, values) { hidden[AttachmentID(layer[0]), default: []].insert(LayerID(layer[1])) }
        return hidden
    }

    /// The user's mark files that are hidden by choice, grouped by chart and ordered by path.
    public func filesHiddenByChoice() throws(LibraryError) -> [AttachmentID: [String]] {
        try database.groups(
            """
            SELECT hidden.attachment_id, path FROM hidden_layers AS hidden
            JOIN local_files ON path = substr(layer_id, length('file:') + 1) AND local_files.attachment_id = hidden.attachment_id
            WHERE layer_id GLOB 'file:*' AND coalesce(marks, '[]') <> '[]' ORDER BY path
            """
        ) { row in (AttachmentID(row.text(0)), row.text(1)) }
    }

    /// The user's files that are not drawn because they are copies of others, grouped by the chart that they belong to.
    public func copiesLeftOut() throws(LibraryError) -> [AttachmentID: [MarkCopies.Copy]] {
        try copiesLeftOut(where: "attachment_id IS NOT NULL", [])
    }

    /// The user's files for one chart that are not drawn because they are copies of others.
    public func copiesLeftOut(of attachment: AttachmentID) throws(LibraryError) -> [MarkCopies.Copy] {
        try copiesLeftOut(where: "attachment_id = ?", [.id(attachment)])[attachment] ?? []
    }

    private func copiesLeftOut(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [AttachmentID: [MarkCopies.Copy]] {
        let hidden = try hiddenByChoice(where: condition, values)
        let files = try database.rows(
            "SELECT attachment_id, path FROM local_files WHERE \(condition) AND marks_version IS NOT NULL", values
        ) { row in Drawn(attachment: AttachmentID(row.text(0)), path: row.text(1)) }
        return try copies(among: files.filter { !hidden.contains([$0.attachment.text, $0.layer.text]) })
    }

    /// A file that is drawn unless it is a copy.
    struct Drawn {
        let attachment: AttachmentID
        let path: String

        var layer: LayerID { LocalFile.layerID(ofFile: path) }
    }

    /// The copies among `files`, grouped by chart. The parts of one layer are compared with other files as a whole, and are kept or
    /// left out together. For a chart with a single file, which is the usual case, nothing is read.
    func copies(among files: [Drawn]) throws(LibraryError) -> [AttachmentID: [MarkCopies.Copy]] {
        var found: [AttachmentID: [MarkCopies.Copy]] = [:]
        for (attachment, files) in Dictionary(grouping: files, by: \.attachment) where files.count > 1 {
            let chosen = Set(
                try database.rows("SELECT layer_id FROM shown_layers WHERE attachment_id = ?", [.id(attachment)]) { LayerID($0.text(0)) })
            let saves = try markFiles.lastSaves(ofFilesFor: attachment)
            let together = Set(try parts.paths(of: attachment))
            let layers = [files.filter { together.contains($0.path) }] + files.filter { !together.contains($0.path) }.map { [$0] }
            guard layers.count(where: { !$0.isEmpty }) > 1 else { continue }
            let candidates = try layers.filter { !$0.isEmpty }.map { files throws(LibraryError) in
                MarkCopies.File(
                    path: files[0].path,
                    save: files.compactMap { saves[Array($0.path.utf8)] }.max() ?? ObservedSave(look: 0, time: 0),
                    sums: MarkSums(try files.map { file throws(LibraryError) in try markFiles.sums(of: file.path)?.values ?? [] }.joined()),
                    isChosen: files.contains { chosen.contains($0.layer) })
            }
            let copies = MarkCopies(candidates).copies.flatMap { copy in
                guard together.contains(copy.path) else { return [copy] }
                return layers[0].map {
                    MarkCopies.Copy(path: $0.path, other: copy.other, marksOnlyHere: $0.path == copy.path ? copy.marksOnlyHere : 0)
                }
            }
            if !copies.isEmpty { found[attachment] = copies }
        }
        return found
    }

    /// The layers that the user hid, each with its chart. If one part of a layer is hidden, all its parts are.
    func hiddenByChoice(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> Set<[String]> {
        var hidden = Set(
            try database.rows("SELECT attachment_id, layer_id FROM hidden_layers WHERE \(condition)", values) { [$0.text(0), $0.text(1)] })
        for attachment in Set(hidden.map { $0[0] }) {
            let parts = try self.parts.layers(of: AttachmentID(attachment)).map { [attachment, $0.text] }
            if parts.contains(where: hidden.contains) { hidden.formUnion(parts) }
        }
        return hidden
    }

    /// Hides a layer or shows it; the parts of one layer are hidden or shown together. Returns whether that changed anything.
    @discardableResult
    public func setHidden(_ isHidden: Bool, layer: LayerID, of attachment: AttachmentID) throws(LibraryError) -> Bool {
        func change(_ table: String, isIn: Bool) throws(LibraryError) -> Bool {
            let parts = try self.parts.layers(of: attachment)
            return try (parts.contains(layer) ? parts : [layer]).map { layer throws(LibraryError) in
                try database.run(
                    isIn
                        ? "INSERT OR IGNORE INTO \(table) VALUES (?, ?)" : "DELETE FROM \(table) WHERE (attachment_id, layer_id) = (?, ?)",
                    [.id(attachment), .id(layer)]) > 0
            }.contains(true)
        }
        let isOtherwise = try change("hidden_layers", isIn: isHidden)
        // Showing a file by choice makes a difference only if the file might be taken for a copy.
        let others = try database.row("SELECT count(*) FROM local_files WHERE attachment_id = ?", [.id(attachment)]) { $0.integer(0) } ?? 0
        var isChosen = false
        if LocalFile.path(ofLayer: layer) != nil { isChosen = try change("shown_layers", isIn: !isHidden) }
        return isOtherwise || isChosen && !isHidden && others > 1
    }
}
