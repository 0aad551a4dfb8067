-- The user's own files of marks, which layers are hidden, and which bytes marks were made on.
--
-- `marked_on` is NULL for marks on the chart that the attachment has; it is written down when that is replaced.
-- `accepted_on` is the chart on which the user last found them right. `content` columns are NULL together with `marks`,
-- for a file that was never understood. `former_files` remembers files that are gone, for they may come back.

CREATE TABLE local_files (
    path TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    attachment_id TEXT,
    marked_on TEXT,
    accepted_on TEXT,
    name TEXT,
    said_attachment TEXT,
    said_chart TEXT,
    said_pdf TEXT,
    other_pages INTEGER,
    notes TEXT,
    marks TEXT,
    fault TEXT
) STRICT;
CREATE INDEX local_files_by_attachment ON local_files (attachment_id);

CREATE TABLE former_files (
    path TEXT PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    attachment_id TEXT,
    noticed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE hidden_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE layers ADD COLUMN marked_on TEXT;
ALTER TABLE layers ADD COLUMN accepted_on TEXT;
