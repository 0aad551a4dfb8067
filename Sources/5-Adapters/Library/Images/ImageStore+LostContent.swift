public import Catalogue
public import Model

extension ImageStore {
    /// The charts that may have images here whose drawing nobody checked for missing content.
    public func chartsToLookThrough() throws(LibraryError) -> Set<ChartHash> {
        Set(
            try database.rows("SELECT hash FROM charts WHERE NOT looked_through") { row throws(LibraryError) in
                try database.hash(row.text(0))
            })
    }

    /// Notes that the drawing of every image of these charts, here or still to come, is checked for missing content.
    public func noteLookedThrough(_ charts: Set<ChartHash>) throws(LibraryError) {
        guard !charts.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for chart in charts.sorted() { try database.run("UPDATE charts SET looked_through = 1 WHERE hash = ?", [.hash(chart)]) }
        }
    }

    /// The pages with something missing, by chart, in their order.
    public func lostContent() throws(LibraryError) -> [ChartHash: [LostContent]] {
        let rows = try database.rows("SELECT hash, page, reason, accepted FROM lost_content ORDER BY hash, page") {
            row throws(LibraryError) in
            let lost = LostContent(page: PageIndex(row.integer(1)), reason: row.text(2), isAccepted: row.integer(3) != 0)
            return (try database.hash(row.text(0)), lost)
        }
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }

    /// Notes how a page turned out when it was drawn; `nil` if nothing is missing. Written only if it is news.
    public func note(lostContent reason: String?, on page: PageIndex, of chart: ChartHash) throws(LibraryError) {
        let key: [SQLValue] = [.hash(chart), .integer(page.value)]
        let known = try database.row("SELECT reason FROM lost_content WHERE hash = ? AND page = ?", key) { $0.text(0) }
        guard known != reason else { return }
        guard let reason else {
            try database.run("DELETE FROM lost_content WHERE hash = ? AND page = ?", key)
            return
        }
        try database.run(
            """
            INSERT INTO lost_content (hash, page, reason) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM charts WHERE hash = ?1)
            ON CONFLICT (hash, page) DO UPDATE SET reason = excluded.reason
            """, key + [.text(reason)])
    }

    /// Accepts the pages of an attachment's charts as they are. Returns whether anything was missing from any of them.
    nonisolated static func acceptLostContent(of attachment: AttachmentID, in database: Database) throws(LibraryError) -> Bool {
        try database.run(
            """
            UPDATE lost_content SET accepted = 1
            WHERE NOT accepted AND hash IN (SELECT hash FROM attachment_charts WHERE attachment_id = ?)
            """, [.id(attachment)]) > 0
    }
}
