public import Catalogue
public import Model

/// Where the marks of layers are, on the charts that they were made on and on those that are here.
extension DrawingStore {
    /// The pages on which a layer or one of the user's files has marks. Marks are read once for each version.
    func markedPages(of layer: LayerID) throws(LibraryError) -> Set<PageIndex> { try marked(layer).pages }

    /// How many marks of a layer or of one of the user's files are drawn.
    public func markCount(of layer: LayerID) throws(LibraryError) -> Int { try marked(layer).count }

    /// Where the marks of a layer are.
    struct Marked {
        var version = ""
        var pages: Set<PageIndex> = []
        var count = 0
    }

    private func marked(_ layer: LayerID) throws(LibraryError) -> Marked {
        guard let stored = try stored(layer) else { return Marked() }
        let places = try stored.attachment.flatMap { attachment throws(LibraryError) in try followed.places(of: layer, on: attachment) }
        let version = stored.version + (places?.version ?? "")
        if let known = marked[layer], known.version == version { return known }
        var found = Marked(version: version)
        for mark in try madeMarks(of: layer) {
            guard let drawn = places.map({ $0.drawn(mark).mark }) ?? mark, drawn.isDrawn else { continue }
            found.pages.insert(drawn.page)
            found.count += 1
        }
        marked[layer] = found
        return found
    }

    /// These marks of a layer as they are drawn on `chart`, which they were made on.
    func drawn(_ marks: [Mark], of layer: LayerID, on chart: ChartHash) throws(LibraryError) -> [Mark] {
        let sheets = try LocalFile.path(ofLayer: layer).flatMap { path throws(LibraryError) in
            try database.row("SELECT sheets FROM local_files WHERE path = ?", [.text(path)]) { $0.optionalText(0) } ?? nil
        }
        var marks = marks
        Laying(sheets: try SheetsText.read(sheets, in: database), pages: try charts.description(of: chart)?.pages ?? []).lay(&marks)
        return marks
    }

    /// The marks of a layer or of one of the user's files as they were made.
    func madeMarks(of layer: LayerID) throws(LibraryError) -> [Mark] {
        let path = LocalFile.path(ofLayer: layer)
        let sql = path == nil ? "SELECT marks FROM layers WHERE id = ?" : "SELECT marks FROM local_files WHERE path = ?"
        return try MarksText.read(try database.row(sql, [.text(path ?? layer.text)]) { $0.optionalText(0) ?? "[]" } ?? "[]", of: layer)
    }

    /// Which version of a layer's marks is stored, and which attachment it is for; `nil` if none is.
    func stored(_ layer: LayerID) throws(LibraryError) -> (version: String, attachment: AttachmentID?)? {
        let path = LocalFile.path(ofLayer: layer)
        let (table, key) = path == nil ? ("layers", "id") : ("local_files", "path")
        return try database.row(
            "SELECT marks_version, attachment_id FROM \(table) WHERE \(key) = ? AND marks_version IS NOT NULL",
            [.text(path ?? layer.text)]
        ) { ($0.text(0), $0.optionalText(1).map { AttachmentID($0) }) }
    }
}
