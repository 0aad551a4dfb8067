import Acceptance
public import Catalogue
import ChartFiles
public import Model
import Platform
import Sets

extension Library {
    /// How long a plan is kept after its last time.
    public nonisolated static var retention: Duration { .seconds(30 * 86400) }

    /// Removes plans that ended more than `keptAfter` ago, and charts that are no longer used. Returns the removed charts.
    ///
    /// A plan stays while it is pinned, while it is a set that is in its folder, or while one of its charts has marks, in a layer or in one
    /// of the user's files, even a file that is only next to a link to the chart. Files seen within the last `keptAfter` count too,
    /// since a disk may be away and deleted files may come back. A chart stays while a plan shows it, in the stored version or in the one
    /// held back, or while it
    /// has marks. A replaced chart stays while its successor has marks, and for `keptAfter` in any case.
    ///
    /// Nothing is removed unless the time `isTrusted`: the service has just sent everything, and its clock agrees with this
    /// machine's. Even then, only items that were already past or too old at a trusted poll at least a day earlier are removed: a
    /// clock may jump, and a plan may be sent with a wrong year. The age of missing files, former charts, former states of mark
    /// files, charts lost by a plan and journal entries counts from the first trusted poll that found them. Links are at `root`;
    /// every link elsewhere on a network counts as having one of the user's files next to it.
    public func prune(
        now: Timestamp, keptAfter: Duration = Library.retention, historyAge: Duration = MarkHistory.age, isTrusted: Bool,
        links root: String = ""
    ) throws(LibraryError) -> [ChartHash] {
        let linked = try links.linkedWithUserFiles(in: root)
        let unused: [ChartHash] = try database.write { () throws(LibraryError) in
            try note(linked.seen, at: now)
            guard isTrusted else { return [] }
            try plans.notePastPlans(at: now)
            try noteAges(at: now)
            guard let settled = try plans.settledTime(trusting: now) else { return [] }
            let earliest = settled - keptAfter
            let marked = try markedAttachments().union(linked.attachments).union(try attachments(showing: linked.charts))
                .union(try markedLately(since: earliest)).union(try removeFormerFiles(since: earliest))
            try plans.removeTonightSets(pastSince: settled)
            try removePastPlans(lastTimeBefore: earliest, pastSince: settled, keeping: marked)
            try database.run("DELETE FROM lost_charts WHERE noticed_at < ?", [.time(settled - PollDecision.memory)])
            try removeAttachments(keeping: marked)
            try songs.removeUnused(keeping: try plans.sentContents())
            try retireUnusedCharts()
            try removeFormerCharts(since: earliest, keeping: marked)
            let unused = try removeCharts(keeping: linked.charts)
            try olderMarks.removeComparisons()
            try followed.removeUnused()
            try database.run("DELETE FROM former_marks WHERE noticed_at < ?", [.time(settled - historyAge)])
            try journal.removeOldEntries(at: settled)
            return unused
        }
        // Files are removed only after their entries in the catalogue. This also finds files that a killed process left behind.
        try charts.removeFilesLetGo(now: now)
        return unused
    }

    /// Sets times of notice that are missing or in the future to now: these times decide about removal.
    private func noteAges(at now: Timestamp) throws(LibraryError) {
        for table in ["former_files", "former_charts", "former_marks", "lost_charts", "journal"] {
            try database.run("UPDATE \(table) SET noticed_at = ?1 WHERE noticed_at IS NULL OR noticed_at > ?1", [.time(now)])
        }
    }

    private func markedAttachments() throws(LibraryError) -> Set<AttachmentID> {
        Set(
            try database.rows(
                """
                SELECT attachment_id FROM layers WHERE deleted_at IS NULL AND marks <> '[]'
                UNION SELECT attachment_id FROM local_files WHERE attachment_id IS NOT NULL AND marks <> '[]'
                UNION SELECT said_attachment FROM local_files WHERE said_attachment IS NOT NULL AND marks <> '[]'
                UNION SELECT attachment_id FROM attachment_charts WHERE hash IN (
                    SELECT said_chart FROM local_files WHERE marks <> '[]' UNION SELECT marked_on FROM local_files WHERE marks <> '[]')
                """
            ) { AttachmentID($0.text(0)) })
    }

    private func attachments(showing charts: Set<ChartHash>) throws(LibraryError) -> [AttachmentID] {
        try database.rows("SELECT attachment_id, hash FROM attachment_charts") { row in (AttachmentID(row.text(0)), row.text(1)) }
            .filter { pair in Digest(hex: pair.1).map { charts.contains(ChartHash($0)) } ?? false }
            .map(\.0)
    }

    /// Removes the plans whose last time was before `earliest`, and that were already known to be past at `watched`.
    private func removePastPlans(
        lastTimeBefore earliest: Timestamp, pastSince watched: Timestamp, keeping marked: Set<AttachmentID>
    ) throws(LibraryError) {
        let pinned = try plans.pinned()
        // A set of one's own that is still in its folder is there to be opened.
        let sets = Set(try self.sets.known().values.map(\.plan))
        let past = Set(try database.rows("SELECT plan_id FROM past_plans WHERE since <= ?", [.time(watched)]) { PlanID($0.text(0)) })
        for contents in try plans.allContents() {
            guard let last = contents.plan.end, last < earliest, past.contains(contents.plan.id), !pinned.contains(contents.plan.id),
                !sets.contains(contents.plan.id),
                marked.isDisjoint(with: contents.attachments.map(\.id))
            else { continue }
            for table in ["gone_layers WHERE plan_id", "layer_plans WHERE plan_id", "plans WHERE id"] {
                try database.run("DELETE FROM \(table) = ?", [.id(contents.plan.id)])
            }
        }
    }

    private func removeAttachments(keeping marked: Set<AttachmentID>) throws(LibraryError) {
        var sent: Set<AttachmentID> = []
        for plan in try plans.sentContents() { sent.formUnion(plan.attachments.map(\.id)) }
        let unused = try database.rows(
            """
            SELECT id FROM attachments WHERE NOT EXISTS (SELECT 1 FROM item_attachments WHERE attachment_id = id)
                AND NOT EXISTS (SELECT 1 FROM lost_charts WHERE attachment_id = id)
            """
        ) { AttachmentID($0.text(0)) }
        for attachment in unused where !marked.contains(attachment) && !sent.contains(attachment) {
            catalogue.noteOtherCharts()
            try database.run("DELETE FROM attachment_charts WHERE attachment_id = ?", [.id(attachment)])
            try database.run("DELETE FROM attachments WHERE id = ?", [.id(attachment)])
        }
        // Remove layers that draw nothing and belong to no plan.
        try database.run(
            """
            DELETE FROM layers
            WHERE (deleted_at IS NOT NULL OR marks = '[]') AND NOT EXISTS (SELECT 1 FROM layer_plans WHERE layer_id = id)
            """)
        try database.run(
            """
            DELETE FROM layer_doubts
            WHERE layer_id NOT IN (SELECT id FROM layers) AND attachment_id NOT IN (SELECT id FROM attachments)
            """)
        // Remove choices to hide or show layers on charts that no other record refers to.
        for table in ["hidden_layers", "shown_layers"] {
            try database.run(
                """
                DELETE FROM \(table)
                WHERE attachment_id NOT IN (SELECT id FROM attachments UNION SELECT attachment_id FROM layers
                    UNION SELECT attachment_id FROM local_files WHERE attachment_id IS NOT NULL)
                """)
        }
        try database.run(
            """
            DELETE FROM drawn_pages WHERE attachment_id NOT IN (SELECT attachment_id FROM layers
                UNION SELECT attachment_id FROM local_files WHERE attachment_id IS NOT NULL)
            """)
    }

    /// Notes, at most once a day, that the user has files next to these links.
    private func note(_ links: [ChartLink], at now: Timestamp) throws(LibraryError) {
        for link in links {
            try database.run(
                "UPDATE links SET marked_at = ? WHERE path = ? AND (marked_at IS NULL OR marked_at < ?)",
                [.time(now), .text(link.path), .time(now - .seconds(86_400))])
        }
    }

    private func markedLately(since earliest: Timestamp) throws(LibraryError) -> [AttachmentID] {
        try database.rows("SELECT DISTINCT attachment_id FROM links WHERE marked_at > ?", [.time(earliest)]) { AttachmentID($0.text(0)) }
    }

    /// Deletes the records of files that have been gone for long. Returns the attachments of the remaining records.
    private func removeFormerFiles(since earliest: Timestamp) throws(LibraryError) -> [AttachmentID] {
        try database.run("DELETE FROM former_files WHERE noticed_at < ?", [.time(earliest)])
        return try database.rows("SELECT DISTINCT attachment_id FROM former_files WHERE attachment_id IS NOT NULL") {
            AttachmentID($0.text(0))
        }
    }

    /// Turns charts whose use is no longer in any plan into former charts, if another use of their attachment is in a plan.
    private func retireUnusedCharts() throws(LibraryError) {
        let unused = try database.rows(
            """
            SELECT attachment_id, made_from, hash FROM attachment_charts AS chart
            WHERE NOT EXISTS (
                SELECT 1 FROM item_attachments AS use
                WHERE use.attachment_id = chart.attachment_id AND use.made_from = chart.made_from)
            AND EXISTS (
                SELECT 1 FROM attachment_charts AS other JOIN item_attachments AS use
                    ON use.attachment_id = other.attachment_id AND use.made_from = other.made_from
                WHERE other.attachment_id = chart.attachment_id)
            """
        ) { row in (attachment: AttachmentID(row.text(0)), madeFrom: row.text(1), hash: row.text(2)) }
        for chart in unused {
            catalogue.noteOtherCharts()
            try database.run(
                "INSERT INTO former_charts (attachment_id, hash) VALUES (?, ?) ON CONFLICT (attachment_id, hash) DO NOTHING",
                [.id(chart.attachment), .text(chart.hash)])
            try database.run(
                "DELETE FROM attachment_charts WHERE attachment_id = ? AND made_from = ?", [.id(chart.attachment), .text(chart.madeFrom)])
        }
    }

    private func removeFormerCharts(since earliest: Timestamp, keeping marked: Set<AttachmentID>) throws(LibraryError) {
        let former = try database.rows("SELECT attachment_id, hash FROM former_charts WHERE noticed_at < ?", [.time(earliest)]) { row in
            (attachment: AttachmentID(row.text(0)), hash: row.text(1))
        }
        for chart in former where !marked.contains(chart.attachment) {
            catalogue.noteOtherCharts()
            try database.run("DELETE FROM former_charts WHERE attachment_id = ? AND hash = ?", [.id(chart.attachment), .text(chart.hash)])
        }
    }

    private func removeCharts(keeping linked: Set<ChartHash>) throws(LibraryError) -> [ChartHash] {
        let hexes = try database.rows(
            """
            SELECT hash FROM charts
            WHERE hash NOT IN (SELECT hash FROM attachment_charts) AND hash NOT IN (SELECT hash FROM former_charts) ORDER BY hash
            """
        ) { $0.text(0) }
        var removed: [ChartHash] = []
        for hex in hexes {
            let chart = try database.hash(hex)
            guard !linked.contains(chart) else { continue }
            try images.forgetImages(of: chart)
            try charts.letGo(of: chart)
            removed.append(chart)
        }
        return removed
    }
}
