public import Catalogue
public import Model

/// The drawings on charts: layers and mark files together, without what is hidden.
public final class DrawingStore: Store {
    let charts: ChartStore
    let parts: PartStore
    let markFiles: MarkFileStore
    let layers: LayerStore

    /// The drawings on charts, where they were asked for and have not changed since.
    private var drawn: [AttachmentID: DrawnPages] = [:]
    /// The pages that layers and files have marks on, and how many, for each as it was when it was last read.
    private var markedPages: [LayerID: (version: String, pages: Set<PageIndex>, count: Int)] = [:]

    init(_ catalogue: OpenCatalogue, charts: ChartStore, parts: PartStore, markFiles: MarkFileStore, layers: LayerStore) {
        self.charts = charts
        self.parts = parts
        self.markFiles = markFiles
        self.layers = layers
        super.init(catalogue)
    }

    /// Which layers are drawn on each chart, by attachment; charts without any are left out. No marks are read for this.
    public func all() throws(LibraryError) -> [AttachmentID: Digest] {
        var lines: [AttachmentID: String] = [:]
        for source in try sources(where: "attachment_id IS NOT NULL", []) {
            lines[source.attachment, default: ""] += source.line
        }
        return lines.mapValues { Self.drawing(of: $0) }
    }

    /// As above, for the chart of one attachment; `nil` if no layers are drawn on it.
    public func drawing(of attachment: AttachmentID) throws(LibraryError) -> Digest? {
        let found = try sources(where: "attachment_id = ?", [.id(attachment)])
        return found.isEmpty ? nil : Self.drawing(of: found.map(\.line).joined())
    }

    /// Returns what is drawn on an attachment's chart, if that was noted for exactly these layers.
    public func drawnPages(of attachment: AttachmentID, from drawing: Digest) throws(LibraryError) -> DrawnPages? {
        if let known = drawn[attachment], known.drawing == drawing { return known }
        let text = try database.row(
            "SELECT pages FROM drawn_pages WHERE attachment_id = ? AND drawing = ?", [.id(attachment), .text(drawing.hex)]
        ) { $0.text(0) }
        guard let text, let pages = DrawnPages(drawing: drawing, text: text) else { return nil }
        drawn[attachment] = pages
        return pages
    }

    /// Remembers what is drawn on a chart, for this run.
    public func remember(_ pages: DrawnPages, of attachment: AttachmentID) { drawn[attachment] = pages }

    /// Remembers what is drawn on charts, for later runs as well.
    public func note(_ pages: [AttachmentID: DrawnPages]) throws(LibraryError) {
        guard !pages.isEmpty else { return }
        drawn.merge(pages) { $1 }
        try database.write { () throws(LibraryError) in
            for (attachment, pages) in pages.sorted(by: { $0.key < $1.key }) {
                try database.put(
                    "drawn_pages", key: "attachment_id",
                    ["attachment_id": .id(attachment), "drawing": .text(pages.drawing.hex), "pages": .text(pages.text)])
            }
        }
    }

    /// As above, but reads the marks if need be, which takes longer the more marks there are. Remembered for this run.
    public func readDrawnPages(of attachment: AttachmentID, from drawing: Digest) throws(LibraryError) -> DrawnPages {
        if let known = try drawnPages(of: attachment, from: drawing) { return known }
        let layers = try writtenLayers(of: attachment)
        let pages = DrawnPages(drawing: layers.drawing, of: try layers.read())
        remember(pages, of: attachment)
        return pages
    }

    /// Identifies the marks that are drawn in some keys only; `nil` if there are none.
    public func drawnInKeys(of attachment: AttachmentID) throws(LibraryError) -> Digest? {
        guard let drawing = try drawing(of: attachment) else { return nil }
        return try readDrawnPages(of: attachment, from: drawing).inKeysDigest
    }

    /// The layers that are drawn on an attachment's chart, not decoded yet.
    public func writtenLayers(of attachment: AttachmentID) throws(LibraryError) -> WrittenLayers {
        let found = try sources(where: "attachment_id = ?", [.id(attachment)])
        let pages = try charts.geometries(of: attachment)
        var entries: [WrittenLayers.Entry] = []
        for source in found {
            let sql =
                source.path == nil
                ? "SELECT marks, NULL FROM layers WHERE id = ?" : "SELECT marks, sheets FROM local_files WHERE path = ?"
            let row = try database.row(sql, [.text(source.path ?? source.layer.text)]) { ($0.text(0), $0.optionalText(1)) }
            guard let (text, sheets) = row else { continue }
            let laying = Laying(sheets: try SheetsText.read(sheets, in: database), pages: pages)
            entries.append(WrittenLayers.Entry(id: source.layer, text: text, time: source.time, laying: laying))
        }
        return WrittenLayers(drawing: Self.drawing(of: found.map(\.line).joined()), attachment: attachment, entries: entries)
    }

    /// A digest of what some sources draw, and of the look of marks.
    static func drawing(of lines: String, version: Int = PageMarks.version) -> Digest {
        SHA256.digest(of: "marks \(version), by key\n" + lines)
    }

    /// The layers on an attachment's chart, first the service's and then those of the user's own files, without their marks, each with
    /// the pages that it has marks on.
    public func layerHeads(of attachment: AttachmentID) throws(LibraryError) -> [(layer: Layer, pages: Set<PageIndex>)] {
        let remote = try database.rows(
            "SELECT id, person_name, name FROM layers WHERE attachment_id = ? AND deleted_at IS NULL ORDER BY id", [.id(attachment)]
        ) { row in Layer(id: LayerID(row.text(0)), attachment: attachment, personName: row.text(1), name: row.text(2), marks: []) }
        let local = try database.rows(
            "SELECT path FROM local_files WHERE attachment_id = ? AND marks_version IS NOT NULL ORDER BY path", [.id(attachment)]
        ) { $0.text(0) }
        let files = try local.map { path throws(LibraryError) in try markFiles.writtenFile(at: path)?.file.layer }.compactMap(\.self)
        let parts = try self.parts.layers(of: attachment)
        let pages = Set(try parts.map { part throws(LibraryError) in try markedPages(of: part) }.joined())
        // The first part stands for all.
        let heads = remote + files.filter { !parts.dropFirst().contains($0.id) }
        return try heads.map { head throws(LibraryError) in (head, parts.contains(head.id) ? pages : try markedPages(of: head.id)) }
    }

    /// The pages that a layer or one of the user's files has marks on. Read once for each state of it.
    func markedPages(of layer: LayerID) throws(LibraryError) -> Set<PageIndex> { try marked(layer).pages }

    /// How many marks a layer or one of the user's files shows.
    public func markCount(of layer: LayerID) throws(LibraryError) -> Int { try marked(layer).count }

    private func marked(_ layer: LayerID) throws(LibraryError) -> (pages: Set<PageIndex>, count: Int) {
        let path = LocalFile.path(ofLayer: layer)
        let (table, key) = path == nil ? ("layers", "id") : ("local_files", "path")
        func read(_ column: String) throws(LibraryError) -> String? {
            try database.row("SELECT \(column) FROM \(table) WHERE \(key) = ?", [.text(path ?? layer.text)]) { $0.text(0) }
        }
        guard let version = try read("marks_version") else { return ([], 0) }
        if let known = markedPages[layer], known.version == version { return (known.pages, known.count) }
        let drawn = try MarksText.read(try read("marks") ?? "[]", of: layer).filter(\.isDrawn).map(\.page)
        let pages = Set(drawn)
        markedPages[layer] = (version, pages, drawn.count)
        return (pages, drawn.count)
    }

    /// A layer that is drawn, identified by whatever distinguishes it from any other state of it.
    private struct Source {
        let attachment: AttachmentID
        let layer: LayerID
        /// The path, if the layer is one of the user's files.
        var path: String?
        var time: Timestamp?
        let version: String
        /// The pages that a file's marks were made on, and the chart that they are placed on, once that is measured.
        var laying: String?

        /// An id may contain anything, so its length comes first.
        var line: String { "\(layer.text.utf8.count):\(layer.text) \(version) \(time?.nanoseconds ?? 0) \(laying ?? "")\n" }
    }

    /// The drawn layers, remote ones first, each kind in the order of an index that covers the query: rows of marks are long.
    private func sources(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [Source] {
        let hidden = try hiddenByChoice(where: condition, values)
        let remote = try database.rows(
            """
            SELECT attachment_id, id, marks_version FROM layers
            WHERE \(condition) AND deleted_at IS NULL ORDER BY attachment_id, id
            """, values
        ) { row in Source(attachment: AttachmentID(row.text(0)), layer: LayerID(row.text(1)), version: row.text(2)) }
        let local = try database.rows(
            """
            SELECT attachment_id, path, marks_version, first_seen, sheets || ' ' || coalesce((
                \(ChartStore.measuredChart(of: "local_files.attachment_id"))), '')
            FROM local_files
            WHERE \(condition) AND marks_version IS NOT NULL ORDER BY attachment_id, path
            """, values
        ) { row in
            Source(
                attachment: AttachmentID(row.text(0)), layer: LocalFile.layerID(ofFile: row.text(1)), path: row.text(1),
                time: row.moment(3), version: row.text(2), laying: row.optionalText(4))
        }
        let shown = (remote + local).filter { !hidden.contains([$0.attachment.text, $0.layer.text]) }
        let files = shown.compactMap { source in
            source.path.map { Drawn(attachment: source.attachment, path: $0) }
        }
        let copies = try copies(among: files).mapValues { Set($0.map(\.path)) }
        return copies.isEmpty
            ? shown : shown.filter { source in source.path.map { !(copies[source.attachment]?.contains($0) ?? false) } ?? true }
    }

    /// Everything drawn on an attachment's chart: all layers and the user's own files, without what is hidden or deleted, and for the chart
    /// with this hash without marks for other keys.
    public func visibleLayers(of attachment: AttachmentID, on chart: ChartHash? = nil) throws(LibraryError) -> [Layer] {
        let hidden = try hiddenLayers(of: attachment)
        let visible = (try layers.all(of: attachment) + markFiles.localLayers(of: attachment)).filter {
            $0.deletedAt == nil && !hidden.contains($0.id)
        }
        return visible.shown(in: try chart.flatMap { hash throws(LibraryError) in try charts.key(of: hash) })
    }
}
