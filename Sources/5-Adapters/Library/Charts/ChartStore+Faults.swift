public import Catalogue
public import Model

extension ChartStore {
    /// Remembers why this version of a chart could not be downloaded, until it is. Writes nothing if that is known already.
    public func note(downloadFault reason: String, of attachment: Attachment, at now: Timestamp) throws(LibraryError) {
        let use = attachment.use
        if let known = try downloadFaults()[use], known.version == attachment.version, known.reason == reason { return }
        try database.run(
            """
            INSERT INTO download_faults (attachment_id, made_from, version, reason, since)
            SELECT id, ?2, ?3, ?4, ?5 FROM attachments WHERE id = ?1
            ON CONFLICT (attachment_id, made_from) DO UPDATE
                SET version = excluded.version, reason = excluded.reason, since = excluded.since
            """, [.id(use.attachment), .text(use.madeFrom), .text(attachment.version), .text(reason), .time(now)])
    }

    /// Why charts could not be downloaded at the last attempt.
    public func downloadFaults() throws(LibraryError) -> [ChartUse: DownloadFault] {
        let rows = try database.rows("SELECT attachment_id, made_from, version, reason, since FROM download_faults") { row in
            (
                ChartUse(AttachmentID(row.text(0)), madeFrom: row.text(1)),
                DownloadFault(version: row.text(2), reason: row.text(3), since: row.time(4) ?? Timestamp(nanoseconds: 0))
            )
        }
        return Dictionary(rows) { first, _ in first }
    }

    func forgetDownloadFault(of use: ChartUse) throws(LibraryError) {
        try database.run(
            "DELETE FROM download_faults WHERE attachment_id = ? AND made_from = ?", [.id(use.attachment), .text(use.madeFrom)])
    }
}

extension ChartStore {
    /// Notes that a version of a chart was refused as the former one's replacement because content is missing from its pages; a person
    /// may accept it all the same.
    public func note(refused attachment: Attachment) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO refused_versions (attachment_id, made_from, version) VALUES (?1, ?2, ?3)
            ON CONFLICT (attachment_id, made_from) DO UPDATE SET version = ?3, accepted = 0 WHERE version <> ?3
            """, [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)])
    }

    /// Whether somebody accepted this version of a chart, whatever is missing from it.
    public func isAccepted(_ attachment: Attachment) throws(LibraryError) -> Bool {
        try database.row(
            "SELECT 1 FROM refused_versions WHERE attachment_id = ? AND made_from = ? AND version = ? AND accepted",
            [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)]
        ) { _ in true } ?? false
    }

    /// Accepts the versions of an attachment that were refused, so that they are downloaded. Returns whether there were any.
    nonisolated static func acceptRefusedVersions(of attachment: AttachmentID, in database: Database) throws(LibraryError) -> Bool {
        guard try database.run("UPDATE refused_versions SET accepted = 1 WHERE attachment_id = ? AND NOT accepted", [.id(attachment)]) > 0
        else { return false }
        // The reason why they were not downloaded no longer holds.
        try database.run("DELETE FROM download_faults WHERE attachment_id = ?", [.id(attachment)])
        return true
    }
}
