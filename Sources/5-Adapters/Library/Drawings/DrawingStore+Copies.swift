public import Catalogue
public import Model

extension DrawingStore {
    /// The user's files that are left out because they are copies of others, by the chart that they are for.
    public func copiesLeftOut() throws(LibraryError) -> [AttachmentID: [MarkCopies.Copy]] {
        let hidden = try hiddenByChoice(where: "TRUE", [])
        let files = try database.rows(
            "SELECT attachment_id, path, marks_version FROM local_files WHERE attachment_id IS NOT NULL AND marks_version IS NOT NULL"
        ) { row in Drawn(attachment: AttachmentID(row.text(0)), path: row.text(1), version: row.text(2)) }
        return try copies(among: files.filter { !hidden.contains([$0.attachment.text, $0.layer.text]) })
    }

    /// The same for one chart.
    public func copiesLeftOut(of attachment: AttachmentID) throws(LibraryError) -> [MarkCopies.Copy] {
        let hidden = try hiddenByChoice(where: "attachment_id = ?", [.id(attachment)])
        let files = try database.rows(
            "SELECT path, marks_version FROM local_files WHERE attachment_id = ? AND marks_version IS NOT NULL", [.id(attachment)]
        ) { row in Drawn(attachment: attachment, path: row.text(0), version: row.text(1)) }
        return try copies(among: files.filter { !hidden.contains([attachment.text, $0.layer.text]) })[attachment] ?? []
    }

    /// A file that would be drawn if it were not a copy.
    struct Drawn {
        let attachment: AttachmentID
        let path: String
        let version: String

        var layer: LayerID { LocalFile.layerID(ofFile: path) }
    }

    /// The copies among `files`, by their charts. Nothing is read for charts with a single file, which most are.
    func copies(among files: [Drawn]) throws(LibraryError) -> [AttachmentID: [MarkCopies.Copy]] {
        var found: [AttachmentID: [MarkCopies.Copy]] = [:]
        for (attachment, files) in Dictionary(grouping: files, by: \.attachment) where files.count > 1 {
            let chosen = Set(
                try database.rows("SELECT layer_id FROM shown_layers WHERE attachment_id = ?", [.id(attachment)]) { LayerID($0.text(0)) })
            let saves = try markFiles.lastSaves(ofFilesFor: attachment)
            let candidates = try files.map { file throws(LibraryError) in
                MarkCopies.File(
                    path: file.path, save: saves[Array(file.path.utf8)] ?? ObservedSave(look: 0, time: 0), sums: try sums(of: file),
                    isChosen: chosen.contains(file.layer))
            }
            let copies = MarkCopies(candidates).copies
            if !copies.isEmpty { found[attachment] = copies }
        }
        return found
    }

    /// The layers that somebody hid, each with its chart.
    func hiddenByChoice(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> Set<[String]> {
        Set(try database.rows("SELECT attachment_id, layer_id FROM hidden_layers WHERE \(condition)", values) { [$0.text(0), $0.text(1)] })
    }
}
