public import Catalogue
import ChartFiles
public import Model

/// Marks that no page shows although nobody hid them.
extension DrawingStore {
    /// The marks on pages that their charts do not have, in layers that are not hidden, ordered by attachment and layer. Charts
    /// whose pages are not counted yet are left out, since they may have any page.
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
            // The layer of a file has no row in this table, and so gets empty names.
            let names = try database.row("SELECT name, person_name FROM layers WHERE id = ?", [.id(layer)]) { ($0.text(0), $0.text(1)) }
            all.append(
                MarksBeyond(
                    attachment: attachment, filename: try charts.chartName(attachment), layer: layer, name: names?.0 ?? "",
                    person: names?.1 ?? "", pages: pages, chartPages: count))
        }
        return all
    }
}

/// Marks on a chart that a plan used to show for a song but no longer shows. Marks that are also on another chart shown for that
/// song do not count.
public struct MarksLeftBehind: Hashable, Sendable {
    public let attachment: AttachmentID
    public let filename: String
    /// The paths of the user's files, and the names under which people know others' layers.
    public let whose: [String]
}

extension PlanStore {
    /// Stores the charts that a plan showed until now for songs that it still has. Charts without marks, or whose marks were passed
    /// on to another chart, are not reported later.
    func noteMarksLeftBehind(in plan: PlanContents, showingFormerly former: PlanContents) throws(LibraryError) {
        let shown = Set(plan.attachments.map(\.id))
        // A musician who chooses other charts knows which ones disappear.
        let byChoice = Set(plan.leftOut.filter(\.isByChoice).map(\.attachment))
        let titles = Set(plan.items.map { FileName.folded($0.title) })
        for item in former.items where titles.contains(FileName.folded(item.title)) {
            for attachment in item.attachments where !shown.contains(attachment.id) && !byChoice.contains(attachment.id) {
                try database.run(
                    "INSERT INTO marks_left_behind (plan_id, attachment_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    [.id(plan.plan.id), .id(attachment.id)])
            }
        }
        try database.run(
            """
            DELETE FROM marks_left_behind WHERE plan_id = ?1
                AND attachment_id IN (SELECT attachment_id FROM item_attachments WHERE plan_id = ?1)
            """, [.id(plan.plan.id)])
    }
}

extension DrawingStore {
    /// The marks on charts that plans no longer show, grouped by plan; layers that are not drawn are left out.
    public func marksLeftBehind() throws(LibraryError) -> [PlanID: [MarksLeftBehind]] {
        let rows = try database.rows(
            """
            SELECT plan_id, attachment_id, filename FROM marks_left_behind JOIN attachments ON id = attachment_id
            ORDER BY plan_id, attachment_id
            """
        ) { row in (plan: PlanID(row.text(0)), attachment: AttachmentID(row.text(1)), name: row.text(2)) }
        var found: [PlanID: [MarksLeftBehind]] = [:]
        for row in rows {
            let hidden = try hiddenLayers(of: row.attachment)
            // Only the heads of layers are read: this is called often, and reading marks takes long.
            let marked = try layerHeads(of: row.attachment).filter { !$0.pages.isEmpty && !hidden.contains($0.layer.id) }.map(\.layer)
            let whose = marked.map { LocalFile.path(ofLayer: $0.id) ?? $0.displayName }
            guard !whose.isEmpty else { continue }
            found[row.plan, default: []].append(MarksLeftBehind(attachment: row.attachment, filename: row.name, whose: whose))
        }
        return found
    }

    /// Accepts that a plan no longer shows these marks. Returns whether there were any.
    func acceptMarksLeftBehind(of plan: PlanID) throws(LibraryError) -> Bool {
        let hadSome = try marksLeftBehind()[plan] != nil
        try database.run("DELETE FROM marks_left_behind WHERE plan_id = ?", [.id(plan)])
        return hadSome
    }
}
