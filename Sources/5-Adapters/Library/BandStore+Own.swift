public import Catalogue
public import LayerJoin
public import Model

/// The musician's own marks, prepared for sharing with the band.
extension BandStore {
    /// A chart with the musician's own marks.
    public struct OwnChart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let hash: ChartHash
        public let title: String
        /// A text that differs whenever the marks may have changed.
        public let state: String
    }

    /// The charts with shared marks, ordered by attachment. Marks made on an older version of a chart are shared for that version.
    public func sharedCharts() throws(LibraryError) -> [OwnChart] {
        let shares = try shares()
        guard shares.areAllShared || !shares.others.isEmpty else { return [] }
        // Without the join order given here, SQLite would read all marks, since the version comes after the marks in each row.
        return try database.rows(
            """
            WITH made AS (
                SELECT DISTINCT attachment_id, path, marks_version, \(Self.madeOn) AS chart
                FROM attachment_charts CROSS JOIN local_files INDEXED BY local_files_by_drawing USING (attachment_id)
                WHERE marks_version IS NOT NULL
            ), states AS (
                SELECT attachment_id, group_concat(
                    path || ' ' || marks_version || ' ' || chart || ' '
                        || coalesce((SELECT version FROM parts WHERE parts.path = files.path), ''), char(10)) AS state
                FROM (SELECT * FROM made ORDER BY path, chart) AS files GROUP BY attachment_id
            )
            SELECT DISTINCT attachment_id, chart, filename, state
            FROM made JOIN states USING (attachment_id) JOIN attachments ON attachments.id = attachment_id ORDER BY attachment_id, chart
            """
        ) { row throws(LibraryError) in
            OwnChart(attachment: AttachmentID(row.text(0)), hash: try database.hash(row.text(1)), title: row.text(2), state: row.text(3))
        }.filter { shares.include($0.attachment) }
    }

    /// The chart that a file's marks belong to: the chart that they were made on or last accepted for, even if the attachment has a
    /// new chart. Marks that are drawn elsewhere on a new chart belong to the one that they were made on.
    private static let madeOn = """
        CASE WHEN marked_on <> hash AND EXISTS (
            SELECT 1 FROM followed_layers WHERE followed_layers.chart = hash AND version IS NOT NULL AND (
                layer_id = 'file:' || path OR layer_id = 'own:' || attachment_id AND path IN (SELECT path FROM parts WHERE revision >= 0)))
        THEN marked_on
        WHEN marked_on <> hash AND coalesce(accepted_on, marked_on) <> hash THEN coalesce(accepted_on, marked_on) ELSE hash END
        """

    /// One of the musician's layers: the layer drawn here, with all its edits, or the marks in another program's file.
    public struct OwnLayer: Hashable, Sendable {
        public enum Content: Hashable, Sendable {
            case drawn(JoinedLayer)
            case shown([Mark])
        }

        /// Empty for the layer drawn here.
        public let name: String
        /// The file's path; empty for the layer drawn here, which has several files.
        public let path: String
        public let content: Content
    }

    /// The layers made on `chart` that are drawn, without those that the musician hid here.
    public func ownLayers(on chart: OwnChart, hiding hidden: Set<LayerID>) throws(LibraryError) -> [OwnLayer] {
        let paths = try paths(madeOn: chart)
        let parts = try self.parts.all(of: chart.attachment)
        let (joined, shares) = LayerPart.shares(of: parts.map(\.part))
        let others = zip(parts, shares).filter { !paths.contains($0.0.path) }.flatMap { $0.1.map(\.id) }
        var drawn = others.isEmpty ? joined : joined.holding(only: Set(joined.ids).subtracting(others))
        // Hidden marks are not shared, but erased marks still are, since they erase copies on other devices.
        if let first = parts.first, hidden.contains(LocalFile.layerID(ofFile: first.path)) {
            drawn = drawn.holding(only: Set(drawn.deleted.map(\.id)))
        }
        // A layer whose marks were all erased is still shared with the musician's other devices, so that they erase the marks, too.
        let isErased = drawn.marks.isEmpty && !drawn.deleted.isEmpty
        let isToBeKnown = isErased ? try hasKin() : !drawn.marks.isEmpty
        var layers = isToBeKnown ? [OwnLayer(name: "", path: "", content: .drawn(drawn))] : []
        let pages = try pages(of: chart)
        for file in try markFiles.all(of: chart.attachment) {
            guard paths.contains(file.path), !parts.contains(where: { $0.path == file.path }), let content = file.content,
                var layer = file.layer, !hidden.contains(layer.id), !layer.marks.isEmpty
            else { continue }
            Laying(sheets: content.sheets, pages: pages).lay(&layer.marks)
            layers.append(OwnLayer(name: layer.name, path: file.path, content: .shown(layer.marks)))
        }
        return layers
    }

    private func paths(madeOn chart: OwnChart) throws(LibraryError) -> Set<String> {
        Set(
            try database.rows(
                """
                SELECT path FROM attachment_charts CROSS JOIN local_files USING (attachment_id)
                WHERE attachment_id = ? AND \(Self.madeOn) = ?
                """, [.id(chart.attachment), .hash(chart.hash)]
            ) { $0.text(0) })
    }

    /// The sizes of the pages on which the marks are placed; all charts of an attachment share them.
    private func pages(of chart: OwnChart) throws(LibraryError) -> [PageGeometry] {
        if try charts.all(of: chart.attachment).contains(chart.hash) { return try charts.geometries(of: chart.attachment) }
        return try database.rows("SELECT width, height FROM chart_pages WHERE hash = ? ORDER BY page", [.hash(chart.hash)]) {
            PageGeometry(width: $0.real(0), height: $0.real(1))
        }
    }
}
