public import Catalogue
import ChartLinks
public import Model

/// Marks on a chart that a plan used to show for a song but no longer does, if they are not on another chart that it shows for that
/// song.
public struct MarksLeftBehind: Hashable, Sendable {
    public let attachment: AttachmentID
    public let filename: String
    /// The user's files, by their paths, and other people's layers, by the names that people know.
    public let whose: [String]
}

extension PlanStore {
    /// Notes the charts that a plan showed until now for songs that it still has. Charts without marks, or whose marks were passed on to
    /// another chart, are not reported later.
    func noteMarksLeftBehind(in plan: PlanContents, showingFormerly former: PlanContents) throws(LibraryError) {
        let shown = Set(plan.attachments.map(\.id))
        // Somebody who chooses other charts knows which ones are dropped.
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
    /// The marks that plans no longer show, except for those that somebody hid.
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
            // By their heads: this is asked often, and reading marks takes long.
            let marked = try layerHeads(of: row.attachment).filter { !$0.pages.isEmpty && !hidden.contains($0.layer.id) }.map(\.layer)
            let whose = marked.map { LocalFile.path(ofLayer: $0.id) ?? $0.displayName }
            guard !whose.isEmpty else { continue }
            found[row.plan, default: []].append(MarksLeftBehind(attachment: row.attachment, filename: row.name, whose: whose))
        }
        return found
    }

    /// Accepts that the marks stay behind. Returns whether there were any.
    func acceptMarksLeftBehind(of plan: PlanID) throws(LibraryError) -> Bool {
        let hadSome = try marksLeftBehind()[plan] != nil
        try database.run("DELETE FROM marks_left_behind WHERE plan_id = ?", [.id(plan)])
        return hadSome
    }
}
