-- New versions of charts that did not take a good one's place, and whether somebody wants them all the same.

CREATE TABLE refused_versions (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;
