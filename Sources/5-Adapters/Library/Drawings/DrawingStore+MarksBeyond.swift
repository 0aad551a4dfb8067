public import Catalogue
public import Model

extension DrawingStore {
    /// The marks on pages that their charts do not have, in layers that are not hidden, by attachment and layer. A chart whose pages
    /// nobody has counted yet may have any page, so it is left out.
    public func marksBeyond() throws(LibraryError) -> [MarksBeyond] {
        let found = try database.rows(
            """
            WITH marked (attachment_id, layer_id, last_page) AS (
                SELECT attachment_id, id, last_page FROM layers WHERE deleted_at IS NULL AND last_page IS NOT NULL
                UNION ALL
                SELECT attachment_id, 'file:' || path, last_page FROM local_files
                WHERE attachment_id IS NOT NULL AND last_page IS NOT NULL),
            counted (attachment_id, pages) AS (
                SELECT attachment_id, max((SELECT max(page) + 1 FROM chart_pages WHERE hash = attachment_charts.hash))
                FROM attachment_charts GROUP BY attachment_id)
            SELECT attachment_id, layer_id, pages FROM marked JOIN counted USING (attachment_id)
            WHERE last_page >= pages AND NOT EXISTS (
                SELECT 1 FROM hidden_layers AS hidden
                WHERE hidden.attachment_id = marked.attachment_id AND hidden.layer_id = marked.layer_id)
            ORDER BY attachment_id, layer_id
            """
        ) { row in (attachment: AttachmentID(row.text(0)), layer: LayerID(row.text(1)), pages: row.integer(2)) }
        var all: [MarksBeyond] = []
        for (attachment, layer, count) in found {
            let pages = try markedPages(of: layer).filter { $0.value >= count }.sorted()
            guard !pages.isEmpty else { continue }
            var names = ("", "")
            if LocalFile.path(ofLayer: layer) == nil {
                names =
                    try database.row("SELECT name, person_name FROM layers WHERE id = ?", [.id(layer)]) { ($0.text(0), $0.text(1)) }
                    ?? names
            }
            all.append(
                MarksBeyond(
                    attachment: attachment, filename: try charts.chartName(attachment), layer: layer, name: names.0, person: names.1,
                    pages: pages, chartPages: count))
        }
        return all
    }
}
