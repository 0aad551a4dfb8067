-- Why charts did not come when they were last asked for, and in which version.

CREATE TABLE download_faults (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;
