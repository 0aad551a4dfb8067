-- The charts that an attachment had before, for marks may have been made on them; and when a file of the user's was
-- last seen beside a link, for a disk that is not there must not look like marks that are gone.

CREATE TABLE former_charts (
    attachment_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    noticed_at INTEGER,
    PRIMARY KEY (attachment_id, hash)
) STRICT, WITHOUT ROWID;

ALTER TABLE links ADD COLUMN marked_at INTEGER;
