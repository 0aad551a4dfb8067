extension Migration {
    /// Why charts did not come when they were last asked for, and in which version.
    static let twentyFourth = Migration(
        name: "24 download faults",
        sql: """
            CREATE TABLE download_faults (
                attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
                made_from TEXT NOT NULL,
                version TEXT NOT NULL,
                reason TEXT NOT NULL,
                PRIMARY KEY (attachment_id, made_from)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension Migration {
    /// Since when a version of a chart does not come for one reason.
    static let twentySeventh = Migration(
        name: "27 times of download faults",
        sql: "ALTER TABLE download_faults ADD COLUMN since INTEGER NOT NULL DEFAULT 0;")
}
