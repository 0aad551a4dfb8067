public import Model

extension Library {
    /// Notes that a version of a chart does not take the former one's place for what is missing from its pages; a person may say
    /// that it is to.
    public func note(refused attachment: Attachment) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO refused_versions (attachment_id, made_from, version) VALUES (?1, ?2, ?3)
            ON CONFLICT (attachment_id, made_from) DO UPDATE SET version = ?3, accepted = 0 WHERE version <> ?3
            """, [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)])
    }

    /// Whether somebody said that this version of a chart is to come, whatever is missing from it.
    public func isAccepted(_ attachment: Attachment) throws(LibraryError) -> Bool {
        try database.row(
            "SELECT 1 FROM refused_versions WHERE attachment_id = ? AND made_from = ? AND version = ? AND accepted",
            [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)]
        ) { _ in true } ?? false
    }

    /// Has the versions of an attachment come that were refused. Returns whether any were.
    nonisolated static func acceptRefusedVersions(of attachment: AttachmentID, in database: Database) throws(LibraryError) -> Bool {
        guard try database.run("UPDATE refused_versions SET accepted = 1 WHERE attachment_id = ? AND NOT accepted", [.id(attachment)]) > 0
        else { return false }
        // What stood in its way does not any more.
        try database.run("DELETE FROM download_faults WHERE attachment_id = ?", [.id(attachment)])
        return true
    }
}
