public import Catalogue
public import Model

/// The names of plans and charts, read with one query each, however many there are.
extension PlanStore {
    /// Every stored plan, without its items.
    public func everyPlan() throws(LibraryError) -> [Plan] {
        try database.rows(
            "SELECT id, service_type, service_type_name, title, dates, first_time, last_time, service_time FROM plans WHERE id <> ?",
            [.id(PlanID.songbook)]
        ) { row in
            Plan(
                id: PlanID(row.text(0)), serviceType: ServiceTypeID(row.text(1)), serviceTypeName: row.text(2), title: row.text(3),
                dates: row.text(4), firstTime: row.time(5), lastTime: row.time(6), serviceTime: row.time(7))
        }
    }

    /// The stored charts, each once, with the title of an item that shows it.
    public func chartNames() throws(LibraryError) -> [(attachment: AttachmentID, filename: String, title: String)] {
        try database.rows(
            """
            SELECT a.id, a.filename, max(i.title) FROM item_attachments AS s JOIN attachments AS a ON a.id = s.attachment_id
            JOIN items AS i ON i.plan_id = s.plan_id AND i.place = s.item_place
            WHERE EXISTS (SELECT 1 FROM attachment_charts AS c WHERE c.attachment_id = a.id)
            GROUP BY a.id ORDER BY a.filename, a.id
            """
        ) { (AttachmentID($0.text(0)), $0.text(1), $0.text(2)) }
    }

    /// The songs of the stored plans that have words and chords, each once.
    public func songNames() throws(LibraryError) -> [(song: SongID, title: String)] {
        try database.rows("SELECT song_id, max(title) FROM item_songs GROUP BY song_id ORDER BY max(title), song_id") {
            (SongID($0.text(0)), $0.text(1))
        }
    }
}
