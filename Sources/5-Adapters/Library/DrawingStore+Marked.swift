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
        /// The pages that the marks were made on.
        var madePages: Set<PageIndex> = []
        /// How many marks are drawn where their music is now, and the pages of those that are not drawn because that is not certain.
        var moved = 0
        var openPages: [PageIndex] = []
    }

    func marked(_ layer: LayerID) throws(LibraryError) -> Marked {
        guard let stored = try stored(layer) else { return Marked() }
        let places = try stored.attachment.flatMap { attachment throws(LibraryError) in try followed.places(of: layer, on: attachment) }
        let version = stored.version + (places?.version ?? "")
        if let known = marked[layer], known.version == version { return known }
        var found = Marked(version: version)
        for mark in try madeMarks(of: layer) {
            let fate = places?.marks[mark.placeSum]
            if fate?.fate == .moved { found.moved += 1 }
            if fate?.fate == .open { found.openPages.append(fate?.place?.page ?? mark.page) }
            if mark.isDrawn { found.madePages.insert(mark.page) }
            guard let drawn = fate.map({ $0.drawn(mark) }) ?? mark, drawn.isDrawn else { continue }
            found.pages.insert(drawn.page)
            found.count += 1
        }
        marked[layer] = found
        return found
    }

    /// The marks of a layer or of one of the user's files as they were made, each with what is drawn of it on `chart`: the present chart of
    /// its attachment, or a former one.
    func marks(of layer: LayerID, on chart: ChartHash) throws(LibraryError) -> [(made: Mark, drawn: Mark?)] {
        let sheets = try LocalFile.path(ofLayer: layer).flatMap { path throws(LibraryError) in
            try database.row("SELECT sheets FROM local_files WHERE path = ?", [.text(path)]) { $0.optionalText(0) } ?? nil
        }
        let places = try followed.layer(layer, on: chart).flatMap { $0.isMoving ? FollowedPlaces(version: "", marks: $0.marks) : nil }
        let laying = Laying(
            sheets: try SheetsText.read(sheets, in: database), pages: try charts.description(of: chart)?.pages ?? [], followed: places)
        return try madeMarks(of: layer).map { mark in
            var drawn = [mark]
            laying.lay(&drawn)
            return (mark, drawn.first)
        }
    }

    /// The marks of a layer or of one of the user's files as they were made.
    func madeMarks(of layer: LayerID) throws(LibraryError) -> [Mark] {
        let path = LocalFile.path(ofLayer: layer)
        let sql = path == nil ? "SELECT marks FROM layers WHERE id = ?" : "SELECT marks FROM local_files WHERE path = ?"
        return try MarksText.read(try database.row(sql, [.text(path ?? layer.text)]) { $0.optionalText(0) ?? "[]" } ?? "[]", of: layer)
    }

    /// Which version of a layer's marks is stored, and which attachment it is for; `nil` if none is.
    private func stored(_ layer: LayerID) throws(LibraryError) -> (version: String, attachment: AttachmentID?)? {
        let path = LocalFile.path(ofLayer: layer)
        let (table, key) = path == nil ? ("layers", "id") : ("local_files", "path")
        return try database.row(
            "SELECT marks_version, attachment_id FROM \(table) WHERE \(key) = ? AND marks_version IS NOT NULL",
            [.text(path ?? layer.text)]
        ) { ($0.text(0), $0.optionalText(1).map { AttachmentID($0) }) }
    }
}
