public import Catalogue
public import Model

/// The drawings on charts: the layers and mark files that are drawn together, without those that are hidden.
public final class DrawingStore: Store {
    let charts: ChartStore
    let parts: PartStore
    let markFiles: MarkFileStore
    let layers: LayerStore
    let followed: FollowedMarkStore

    /// The contents of charts' drawings that were requested or noted in this run. Each is valid only for its own digest.
    private var drawn: [AttachmentID: DrawnPages] = [:]
    /// Where layers and files have marks, for the version last read.
    var marked: [LayerID: Marked] = [:]
    /// The jumps and bookmarks of charts that were opened in this run, each valid only for its own digest.
    var markedPlaces: [AttachmentID: (drawing: Digest, key: ChordKey?, places: ChartPlaces)] = [:]

    init(
        _ catalogue: OpenCatalogue, charts: ChartStore, parts: PartStore, markFiles: MarkFileStore, layers: LayerStore,
        followed: FollowedMarkStore
    ) {
        self.charts = charts
        self.followed = followed
        self.parts = parts
        self.markFiles = markFiles
        self.layers = layers
        super.init(catalogue)
    }

    /// A digest of the drawn layers for each attachment; attachments without drawn layers are left out. No marks are read.
    public func all() throws(LibraryError) -> [AttachmentID: Digest] {
        var lines: [AttachmentID: String] = [:]
        for source in try sources(where: "attachment_id IS NOT NULL", []) {
            lines[source.attachment, default: ""] += source.line
        }
        return lines.mapValues { Self.drawing(of: $0) }
    }

    /// A digest of the layers drawn on one attachment's chart; `nil` if no layers are drawn there.
    public func drawing(of attachment: AttachmentID) throws(LibraryError) -> Digest? {
        let found = try sources(where: "attachment_id = ?", [.id(attachment)])
        return found.isEmpty ? nil : Self.drawing(of: found.map(\.line).joined())
    }

    /// The stored content of an attachment's drawing, if it was stored for exactly these layers.
    public func drawnPages(of attachment: AttachmentID, from drawing: Digest) throws(LibraryError) -> DrawnPages? {
        if let known = drawn[attachment], known.drawing == drawing { return known }
        let text = try database.row(
            "SELECT pages FROM drawn_pages WHERE attachment_id = ? AND drawing = ?", [.id(attachment), .text(drawing.hex)]
        ) { $0.text(0) }
        guard let text, let pages = DrawnPages(drawing: drawing, text: text) else { return nil }
        drawn[attachment] = pages
        return pages
    }

    /// Keeps the content of a chart's drawing in memory, for this run only.
    public func remember(_ pages: DrawnPages, of attachment: AttachmentID) { drawn[attachment] = pages }

    /// Stores the contents of charts' drawings, so that later runs have them too.
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

    /// Like `drawnPages`, but reads the marks if necessary, which takes longer the more marks there are. The result is kept for this run.
    public func readDrawnPages(of attachment: AttachmentID, from drawing: Digest) throws(LibraryError) -> DrawnPages {
        if let known = try drawnPages(of: attachment, from: drawing) { return known }
        let layers = try writtenLayers(of: attachment)
        let pages = DrawnPages(drawing: layers.drawing, of: try layers.read())
        remember(pages, of: attachment)
        return pages
    }

    /// Identifies the marks that are drawn only if the chart is in certain musical keys; `nil` if there are none.
    public func drawnInKeys(of attachment: AttachmentID) throws(LibraryError) -> Digest? {
        guard let drawing = try drawing(of: attachment) else { return nil }
        return try readDrawnPages(of: attachment, from: drawing).inKeysDigest
    }

    /// The layers that are drawn on an attachment's chart, still encoded.
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
            let places = source.followed == nil ? nil : try followed.places(of: source.layer, on: attachment)
            let laying = Laying(sheets: try SheetsText.read(sheets, in: database), pages: pages, followed: places)
            entries.append(WrittenLayers.Entry(id: source.layer, text: text, time: source.time, laying: laying))
        }
        return WrittenLayers(drawing: Self.drawing(of: found.map(\.line).joined()), attachment: attachment, entries: entries)
    }

    /// A digest of the drawn layers' lines and of the version of the drawing code.
    static func drawing(of lines: String, version: Int = PageMarks.version) -> Digest {
        SHA256.digest(of: "marks \(version), by key, with jumps\n" + lines)
    }

    /// The layers on an attachment's chart without their marks: first the service's layers, then those of the user's files. Each
    /// comes with the pages that it has marks on.
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
        // The first part represents the whole layer.
        let heads = remote + files.filter { !parts.dropFirst().contains($0.id) }
        return try heads.map { head throws(LibraryError) in (head, parts.contains(head.id) ? pages : try markedPages(of: head.id)) }
    }

    /// A layer that is drawn, with everything that distinguishes the layer's present state from any other.
    private struct Source {
        let attachment: AttachmentID
        let layer: LayerID
        /// The path, if the layer is one of the user's files.
        var path: String?
        var time: Timestamp?
        let version: String
        /// For a file: the sizes of the pages that its marks were made on, if known, and the measured chart that the marks are placed on.
        var laying: String?
        /// The version of the places of marks that are not drawn where they were made.
        var followed: String?

        /// An id may contain any character, so its length comes first.
        var line: String {
            let places = followed.map { " \($0)" } ?? ""
            return "\(layer.text.utf8.count):\(layer.text) \(version) \(time?.nanoseconds ?? 0) \(laying ?? "")\(places)\n"
        }
    }

    /// The drawn layers: first the service's, then those of the user's files. Each kind is ordered by an index that covers the
    /// query, because reading rows with marks would take long.
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
        let drawn =
            copies.isEmpty
            ? shown : shown.filter { source in source.path.map { !(copies[source.attachment]?.contains($0) ?? false) } ?? true }
        return try noteFollowed(drawn)
    }

    private func noteFollowed(_ sources: [Source]) throws(LibraryError) -> [Source] {
        let all = try followed.versions()
        guard !all.isEmpty else { return sources }
        var versions: [LayerID: String] = [:]
        for (attachment, sources) in Dictionary(grouping: sources, by: \.attachment) {
            try versions.merge(followed.versions(of: sources.map(\.layer), on: attachment, among: all)) { first, _ in first }
        }
        return sources.map { source in
            var source = source
            source.followed = versions[source.layer]
            return source
        }
    }

    /// All layers on an attachment's chart that are not deleted, with their marks as they are drawn, hidden or not.
    public func allLayers(of attachment: AttachmentID) throws(LibraryError) -> [Layer] {
        let remote = try layers.all(of: attachment).filter { $0.deletedAt == nil }.map { layer throws(LibraryError) in
            var layer = layer
            Laying(sheets: [:], pages: [], followed: try followed.places(of: layer.id, on: attachment)).lay(&layer.marks)
            return layer
        }
        return try remote + markFiles.localLayers(of: attachment)
    }

    /// All layers drawn on an attachment's chart, including the user's own files, without hidden or deleted ones. If `chart` is
    /// given, marks for other keys than that chart's are left out.
    public func visibleLayers(of attachment: AttachmentID, on chart: ChartHash? = nil) throws(LibraryError) -> [Layer] {
        let hidden = try hiddenLayers(of: attachment)
        let visible = try allLayers(of: attachment).filter { !hidden.contains($0.id) }
        return visible.shown(in: try chart.flatMap { hash throws(LibraryError) in try charts.key(of: hash) })
    }
}
