public import Model

extension Library {
    /// Remembers why this version of a chart did not come, until it does. Writes nothing where that is known.
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

    /// Why charts did not come when they were last asked for.
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

/// Why a version of a chart did not come.
public struct DownloadFault: Hashable, Sendable {
    public let version: String
    public let reason: String
    /// Since when it is that.
    public let since: Timestamp
}

extension [ChartUse: DownloadFault] {
    /// Why the version that the service has now did not come; `nil` where that is not known.
    public func reason(of attachment: Attachment) -> String? {
        self[attachment.use].flatMap { $0.version == attachment.version ? $0.reason : nil }
    }
}
